import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import type { Storage, StorageAdapter, StorageContext } from "../application/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";

/** A storage, and the helpers that its cases need. Leave out helpers that it does not support. */
export interface StorageUnderTest {
  readonly adapter: Pick<StorageAdapter, "durable" | "shared" | "open"> &
    Partial<Pick<StorageAdapter, "check" | "mask">>;
  /** Returns the URL of a missing or empty storage, a new one at each call. The caller deletes them. */
  newUrl(): string | Promise<string>;
  /** `SILENT_CONTEXT` by default. */
  readonly context?: StorageContext;
  readonly archive?: boolean;
  /** Deletes a pet, bypassing the repository as an operator would. */
  deletePet?(url: string, id: bigint): Promise<void>;
  /**
   * Creates these pets concurrently in another process, each with the record at its index, if any, and kills
   * the process once all exist. Resolves to the pets. `otherProcess` provides this and `useAndClose`.
   */
  createAndDie?(url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  /** Uses and closes a storage in another process. Resolves to whether the process then exited by itself. */
  useAndClose?(url: string): Promise<boolean>;
  /** Stops the server, or cuts its network: connections break, and new ones are refused. */
  readonly outage?: Outage;
  /** Freezes the server, as `docker pause` does: it accepts connections, but never responds. */
  readonly pause?: Outage;
  /** Returns the URL of a storage that does not exist. Needed only if `newUrl` creates the storage. */
  missingUrl?(): string;
  onCreate?(url: string, storage: Storage): void;
  /** Ends the running case once it resolves, after `up` if the storage is down. */
  readonly interrupted?: Promise<unknown>;
}

export interface Outage {
  /** Resolves once the storage is down. */
  down(): Promise<void>;
  /** Resolves once the storage is back, or is about to be. */
  up(): Promise<void>;
}

/** A property of the storage, or a helper that the caller passes. */
export type Need = "reopen" | "shared" | "archive" | "check" | keyof Helpers;
type Helpers = Pick<StorageUnderTest, "deletePet" | "createAndDie" | "useAndClose" | "outage" | "pause">;

const REASONS: Partial<Record<Need, string>> = {
  reopen: "its pets do not outlive the instance",
  shared: "several processes may not use it at once",
  archive: "pass `archive: true` if it has an archive",
};

/** Returns why a case with these needs does not apply to the storage; undefined if it does. */
export function whyNotAsked(needs: readonly Need[], storage: StorageUnderTest): string | undefined {
  const { durable, shared, check } = storage.adapter;
  const supported = { ...storage, shared, check, reopen: durable || shared };
  const missing = needs.find((need) => !supported[need]);
  return missing && (REASONS[missing] ?? `pass \`${missing}\``);
}

export function storageOf(
  adapter: StorageUnderTest["adapter"],
  surroundings: Omit<StorageUnderTest, "adapter">,
): StorageUnderTest {
  return { ...surroundings, adapter };
}
