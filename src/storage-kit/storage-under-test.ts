import type { IdempotencyRecord } from "../application/ports/idempotency-record.js";
import {
  SILENT_CONTEXT,
  type Storage,
  type StorageAdapter,
  type StorageContext,
} from "../application/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";

/** How the cases access a storage. Whoever runs the cases removes the storages that `open` created. */
export interface StorageUnderTest {
  /** Opens a new, empty storage. The case closes every instance that it gets. */
  open(): Promise<Storage>;
  /** Opens another instance of the storage that was opened last. Left out if pets do not outlive the instance. */
  reopen?(mayMake?: boolean): Promise<Storage>;
  /** Opens a storage that does not exist, always the same one, with `mayMake: false`; it must reject. */
  openMissing?(): Promise<Storage>;
  readonly archive?: boolean;
  /** Whether several instances may use one storage at once; the cases then open a second one beside the first. */
  readonly shared?: boolean;
  /** The adapter, and the URL of the storage that was opened last. */
  readonly urls?: { readonly adapter: Pick<StorageAdapter, "check" | "mask">; last(): string };
  /** Deletes a pet of the storage that was opened last, bypassing the repository as an operator would. */
  deletePet?(id: bigint): Promise<void>;
  /**
   * Lets another process create these pets concurrently in the storage that was opened last, the pet at index n with the
   * record at index n if there is one, and kills it as soon as all are created. Resolves to these pets.
   */
  createAndDie?(pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  /** Lets another process use and close a new storage. Resolves to whether that process then exited by itself. */
  useAndClose?(): Promise<boolean>;
  /** Stops the server, or cuts its network: connections break, and new ones are refused. */
  readonly outage?: Outage;
  /** Freezes the server, as `docker pause` does: it accepts connections, but never responds. */
  readonly pause?: Outage;
}

/** Takes the storage away, and brings it back. */
export interface Outage {
  /** Resolves once the storage is away. */
  down(): Promise<void>;
  /** Resolves once the storage is back, or is about to be. */
  up(): Promise<void>;
}

export type Need = Exclude<keyof StorageUnderTest, "open">;

const REASONS: Readonly<Record<Need, string>> = {
  reopen: "its pets do not outlive the process",
  openMissing: "its pets do not outlive the process, or no way is given to open it without creating it",
  archive: "`archive: true` is not given",
  shared: "several processes may not use it at once",
  urls: "the check of its adapter is not given",
  deletePet: "no way is given to delete a pet past the repository",
  createAndDie: "its pets do not outlive the process, or no process is given that can be killed",
  useAndClose: "no process is given that opens and closes it",
  outage: "no way is given to take its server away and bring it back",
  pause: "no way is given to pause its server and resume it",
};

/** Why the storage does not support a case with these needs; undefined if it does. */
export function whyNotAsked(needs: readonly Need[], storage: StorageUnderTest): string | undefined {
  const missing = needs.find((need) => !storage[need]);
  return missing && REASONS[missing];
}

/** What the cases need besides the adapter. Leave out what the storage does not support. */
export interface Surroundings extends Pick<StorageUnderTest, "archive" | "outage" | "pause"> {
  /** Returns the URL of a storage that does not exist yet, or is empty: a new one for each call. */
  newUrl(): string | Promise<string>;
  /** The context for the adapter; `SILENT_CONTEXT` by default. */
  readonly context?: StorageContext;
  // As in StorageUnderTest, for the storage of a URL; `otherProcess` provides the last two.
  deletePet?(url: string, id: bigint): Promise<void>;
  createAndDie?(url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  useAndClose?(url: string): Promise<boolean>;
}

/** Turns an adapter into a storage under test. Its `durable` and `shared` decide which cases apply. */
export function storageOf(
  adapter: StorageAdapter | Pick<StorageAdapter, "durable" | "shared" | "open">,
  { newUrl, context = SILENT_CONTEXT, deletePet, createAndDie, useAndClose, ...rest }: Surroundings,
): StorageUnderTest {
  let [url, missing] = ["", ""];
  const reopen = async (mayMake = context.mayMake) => adapter.open(url, { ...context, mayMake });
  const openMissing = async () => {
    missing ||= await newUrl();
    return adapter.open(missing, { ...context, mayMake: false });
  };
  return {
    ...rest,
    async open() {
      url = await newUrl();
      return reopen();
    },
    ...((adapter.durable || adapter.shared) && { reopen, openMissing }),
    shared: adapter.shared,
    ...("check" in adapter && { urls: { adapter, last: () => url } }),
    ...(deletePet && { deletePet: (id) => deletePet(url, id) }),
    ...(createAndDie && adapter.durable && { createAndDie: (...task) => createAndDie(url, ...task) }),
    ...(useAndClose && { useAndClose: async () => useAndClose(await newUrl()) }),
  };
}
