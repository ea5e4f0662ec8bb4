import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** Opens the instances of one case, and closes at its end those that the case has left open. */
export class Instances {
  private readonly opened = new Set<PetRepository>();

  constructor(readonly storage: StorageUnderTest) {}

  /** Opens a storage that is new and empty. */
  readonly open = (): Promise<PetRepository> => this.keep(this.storage.open());

  /** Opens one more instance on the storage that `open` made last. */
  readonly reopen = (): Promise<PetRepository> => {
    if (!this.storage.reopen) throw new Error("The storage cannot be opened again.");
    return this.keep(this.storage.reopen());
  };

  readonly close = (pets: PetRepository): Promise<void> => {
    this.opened.delete(pets);
    return pets.close();
  };

  async closeAll(): Promise<void> {
    await Promise.all([...this.opened].map(this.close));
  }

  private async keep(opening: Promise<PetRepository>): Promise<PetRepository> {
    const pets = await opening;
    this.opened.add(pets);
    return pets;
  }
}
