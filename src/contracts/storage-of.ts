import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../application/ports/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** The parts that the cases need beyond the adapter. Leave out a part if the storage has nothing of the kind. */
interface Surroundings extends Pick<StorageUnderTest, "archive" | "petsRead" | "useAndClose" | "outage"> {
  /** Gives the URL of a storage that does not exist yet, or is empty: another one at each call. */
  newUrl(): string | Promise<string>;
  /** The context for the adapter; if left out, one with a log that goes nowhere. */
  readonly context?: StorageContext;
  deletePet?(url: string, id: bigint): Promise<void>;
  createAndDie?(url: string, pets: readonly NewPet[]): Promise<Pet[]>;
}

/** Makes a storage under test of its adapter, whose `durable` and `shared` decide which cases apply. */
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

/** For a storage whose log and readings nobody reads. */
export const UNHEARD: StorageContext = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  addReading() {},
};
