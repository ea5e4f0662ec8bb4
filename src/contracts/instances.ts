import type { PetRepository } from "../application/ports/pet-repository.js";
import { settled } from "./deadline.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** How long an operation may take before its case fails, in milliseconds. */
const PATIENCE = 10_000;

/** Opens the instances of one case, and closes at its end those that the case left open. */
export class Instances {
  private readonly opened = new Set<PetRepository>();

  constructor(readonly storage: StorageUnderTest) {}

  /** Opens a storage that is new and empty. */
  readonly open = (): Promise<PetRepository> => this.keep("open", this.storage.open());

  /** Opens one more instance on the storage that `open` made last. */
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

  /** Wraps the repository: operations reject if they do not settle, and `close` takes it off the list. */
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
