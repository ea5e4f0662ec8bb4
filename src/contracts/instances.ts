import type { PetRepository } from "../application/ports/pet-repository.js";
import { settled } from "./settled.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** How long an operation may take before it counts as never answered, in milliseconds. */
const PATIENCE = 10_000;

/** The instances that one case opens; what the case leaves open is closed at its end. */
export class Instances {
  private readonly opened = new Set<PetRepository>();

  constructor(readonly storage: StorageUnderTest) {}

  /** Opens a storage that is new and empty. */
  readonly open = (): Promise<PetRepository> => this.keep("open", this.storage.open());

  /** Opens once more the storage that was opened last. */
  readonly reopen = (): Promise<PetRepository> => {
    if (!this.storage.reopen) throw new Error("The storage cannot be opened again.");
    return this.keep("open", this.storage.reopen());
  };

  async closeAll(): Promise<void> {
    await Promise.all([...this.opened].map((instance) => instance.close()));
  }

  private async keep(what: string, opening: Promise<PetRepository>): Promise<PetRepository> {
    const instance = this.impatient(await settled(what, opening, PATIENCE));
    this.opened.add(instance);
    return instance;
  }

  /** The repository, with operations that reject if they do not settle, and a `close` that is noticed. */
  private impatient(repository: PetRepository): PetRepository {
    const instance: PetRepository = new Proxy(repository, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || typeof name !== "string") return member;
        return (...args: unknown[]) => {
          if (name === "close") this.opened.delete(instance);
          return settled(name, Promise.resolve(member.apply(target, args)), PATIENCE);
        };
      },
    });
    return instance;
  }
}
