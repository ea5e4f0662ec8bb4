import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../application/ports/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";
import type { Outage, StorageUnderTest } from "./storage-under-test.js";

/** What an adapter does not say of itself; each part is left out if there is no such thing. */
export interface Surroundings {
  /** The URL of a storage that does not exist yet, or is empty; another one each time. */
  newUrl(): string | Promise<string>;
  /** What the adapter is handed; if left out, a log that nobody reads. */
  readonly context?: StorageContext;
  /** Whether its repositories are a `PetArchive` too. */
  readonly archive?: boolean;
  deletePet?(url: string, id: bigint): Promise<void>;
  petsRead?(): number | Promise<number>;
  createAndDie?(url: string, pets: readonly NewPet[]): Promise<Pet[]>;
  useAndClose?(): Promise<boolean>;
  readonly outage?: Outage;
}

/** A storage under test, made of its adapter: what can be asked of it is what the adapter says of itself. */
export function storageOf(
  adapter: Pick<StorageAdapter, "durable" | "shared" | "open">,
  { newUrl, context = UNHEARD, deletePet, createAndDie, ...rest }: Surroundings,
): StorageUnderTest {
  let url = "";
  const open = (): Promise<PetRepository> => adapter.open(url, context);
  return {
    ...rest,
    async open() {
      url = await newUrl();
      return open();
    },
    ...((adapter.durable || adapter.shared) && { reopen: open }),
    shared: adapter.shared,
    ...(deletePet && { deletePet: (id) => deletePet(url, id) }),
    ...(createAndDie && { createAndDie: (pets) => createAndDie(url, pets) }),
  };
}

const UNHEARD: StorageContext = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  addReading() {},
};
