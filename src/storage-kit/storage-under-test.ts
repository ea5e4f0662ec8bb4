import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import type { Storage, StorageAdapter, StorageContext } from "../application/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";

/** A storage, and what the cases need to test it. Leave out what the storage does not support. */
export interface StorageUnderTest {
  readonly adapter: Pick<StorageAdapter, "durable" | "shared" | "open"> &
    Partial<Pick<StorageAdapter, "check" | "mask">>;
  /** Returns the URL of a storage that does not exist yet, or is empty: a new one for each call. The caller deletes them. */
  newUrl(): string | Promise<string>;
  /** The context for the adapter; `SILENT_CONTEXT` by default. */
  readonly context?: StorageContext;
  readonly archive?: boolean;
  /** Deletes a pet, bypassing the repository as an operator would. */
  deletePet?(url: string, id: bigint): Promise<void>;
  /**
   * Lets another process create these pets concurrently, the pet at index n with the record at index n if there is one, and
   * kills it as soon as all are created. Resolves to these pets. `otherProcess` provides this function and the next one.
   */
  createAndDie?(url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  /** Lets another process use and close a storage. Resolves to whether that process then exited by itself. */
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

/** What a case needs: a property of the storage, or a function that is passed. */
export type Need = "reopen" | "shared" | "archive" | "check" | keyof Helpers;
type Helpers = Pick<StorageUnderTest, "deletePet" | "createAndDie" | "useAndClose" | "outage" | "pause">;

const REASONS: Partial<Record<Need, string>> = {
  reopen: "its pets do not outlive the instance",
  shared: "several processes may not use it at once",
  archive: "pass `archive: true` if it has an archive",
};

/** Why a case with these needs does not apply to the storage; undefined if it does. */
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
