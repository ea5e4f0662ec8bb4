import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import {
  SILENT_CONTEXT,
  STORAGE_PORTS,
  type Storage,
  type StorageAdapter,
  type StorageContext,
} from "../application/ports/storage.js";
import type { NewPet, Pet } from "../domain/pet.js";

/** Which ports a storage has, beside `pets`: e.g. `{ archive: true }`. */
type Ports = { readonly [Name in Exclude<keyof typeof STORAGE_PORTS, "pets">]?: boolean };

/** How the cases reach a storage. The caller of the cases removes the storages that `open` made. */
export interface StorageUnderTest extends Ports {
  /** Opens a storage that is new and empty. The case closes every instance that it gets. */
  open(): Promise<Storage>;
  /**
   * Opens one more instance on the storage that was opened last. Left out if pets do not outlive the
   * instance, as with a storage that is neither durable nor shared.
   */
  reopen?(): Promise<Storage>;
  /** Opens a storage that is not there with `mayMake: false`, and must reject. */
  openMissing?(): Promise<Storage>;
  /** Whether several instances may use one storage at once; the cases then reopen it beside the first instance. */
  readonly shared?: boolean;
  /** Deletes a pet of the storage that was opened last, as its operator would: past the repository. */
  deletePet?(id: bigint): Promise<void>;
  /**
   * Lets another process create these pets in the storage that was opened last, all at once, the pet at index n with
   * the record at index n if there is one, and kills it as soon as the last one is answered. No instance is open
   * meanwhile. Resolves to the pets that the process got.
   */
  createAndDie?(pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  /**
   * Lets another process open a storage that is new and empty, use it and close it. Resolves to whether that
   * process then ended by itself.
   */
  useAndClose?(): Promise<boolean>;
  /** Ends the server, or cuts its network: connections break, and new ones are refused. */
  readonly outage?: Outage;
  /** Stops the server without an end, as `docker pause` does: it accepts connections, and falls silent. */
  readonly pause?: Outage;
}

/** Takes the storage away, and brings it back. */
export interface Outage {
  /** Resolves once the storage is away. */
  down(): Promise<void>;
  /** Resolves once the storage is back, or is about to be. */
  up(): Promise<void>;
}

/** An offer that not every storage makes, and that some cases need. */
export type Need = Exclude<keyof StorageUnderTest, "open">;

const LACKS: Record<Exclude<Need, keyof Ports>, string> = {
  reopen: "its pets do not outlive the process",
  openMissing: "its pets do not outlive the process, or no way is given to forbid it to make a storage",
  shared: "several processes may not use it at once",
  deletePet: "no way is given to delete a pet past the repository",
  createAndDie: "its pets do not outlive the process, or no process is given that can be killed",
  useAndClose: "no process is given that opens and closes it",
  outage: "no way is given to take its server away and bring it back",
  pause: "no way is given to pause its server and resume it",
};

/** Why a case with these needs cannot be asked of the storage; undefined if it can. */
export function whyNotAsked(
  needs: readonly Need[],
  storage: { readonly [Name in Need]?: unknown },
): string | undefined {
  const lacking = needs.find((need) => !storage[need]);
  if (!lacking) return undefined;
  if (lacking in LACKS) return LACKS[lacking as keyof typeof LACKS];
  return storage[lacking] === undefined ? `\`${lacking}: true\` is not given` : `it has no ${lacking}`;
}

/** Which ports a storage has. */
export function portsOf(storage: Storage): Ports {
  const names = Object.keys(STORAGE_PORTS) as (keyof typeof STORAGE_PORTS)[];
  return Object.fromEntries(names.map((name) => [name, storage[name] !== undefined]));
}

/** The parts that the cases need beyond the adapter. Leave out a part if the storage has nothing of the kind. */
export interface Surroundings extends Ports, Pick<StorageUnderTest, "outage" | "pause"> {
  /** Gives the URL of a storage that does not exist yet, or is empty: another one at each call. */
  newUrl(): string | Promise<string>;
  /** The context for the adapter; if left out, one with a log that goes nowhere. */
  readonly context?: StorageContext;
  deletePet?(url: string, id: bigint): Promise<void>;
  /** As `otherProcess` gives it. */
  createAndDie?(url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[]): Promise<Pet[]>;
  /** As `otherProcess` gives it. */
  useAndClose?(url: string): Promise<boolean>;
}

/** Makes a storage under test of its adapter, whose `durable` and `shared` decide which cases apply. */
export function storageOf(
  adapter: Pick<StorageAdapter, "durable" | "shared" | "open">,
  { newUrl, context = SILENT_CONTEXT, deletePet, createAndDie, useAndClose, ...rest }: Surroundings,
): StorageUnderTest {
  let url = "";
  const open = async () => adapter.open(url, context);
  const openMissing = async () => adapter.open(await newUrl(), { ...context, mayMake: false });
  return {
    ...rest,
    async open() {
      url = await newUrl();
      return open();
    },
    ...((adapter.durable || adapter.shared) && { reopen: open, openMissing }),
    shared: adapter.shared,
    ...(deletePet && { deletePet: (id) => deletePet(url, id) }),
    ...(createAndDie &&
      adapter.durable && { createAndDie: (pets, records) => createAndDie(url, pets, records) }),
    ...(useAndClose && { useAndClose: async () => useAndClose(await newUrl()) }),
  };
}
