import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../../../application/ports/storage-adapter.js";
import type { NewPet } from "../../../domain/pet.js";

/** What a process that touches storages is told to do, one thing at a time. */
export type Order =
  /** Look at a storage that is thought to be empty. */
  | { readonly order: "look"; readonly url: string }
  /** Run the case of a name; it finds a new storage at each of the URLs. */
  | {
      readonly order: "run";
      readonly name: string;
      readonly urls: readonly string[];
      readonly offered: Offered;
    }
  /** Create pets, print them, and die. */
  | { readonly order: "die"; readonly url: string; readonly pets: readonly NewPet[] }
  /** Open a storage, use it, close it, and end. */
  | { readonly order: "use"; readonly url: string };

/** What can be asked of the storage beyond what its adapter says of itself. */
export interface Offered {
  readonly archive: boolean;
  readonly petsRead: boolean;
  readonly deletePet: boolean;
  readonly outage: boolean;
}

/** What a storage turned out to be when it was opened. */
export interface Sight {
  readonly empty: boolean;
  readonly archive: boolean;
  readonly petsRead: boolean;
}

export type Outcome =
  | { readonly outcome: "held" }
  | { readonly outcome: "broken"; readonly seen: string }
  /** The storage was not empty when the case opened it; nothing was changed in it. */
  | { readonly outcome: "refused"; readonly url: string };

/** What only the process can do that the operator started: run the operator's commands. */
export type Wish =
  | { readonly wish: "down" | "up" }
  | { readonly wish: "deletePet"; readonly url: string; readonly id: bigint };

/** What the process says, in reply to an order or on the way to it. */
export type Report =
  | Answer
  /** A storage is about to be opened that may not exist yet. */
  | { readonly report: "opens"; readonly url: string }
  | { readonly report: "wish"; readonly wish: Wish }
  /** An error that no operation rejected with; it would end the service. */
  | { readonly report: "uncaught"; readonly message: string };

export type Answer =
  | { readonly report: "sight"; readonly sight: Sight }
  | { readonly report: "outcome"; readonly outcome: Outcome }
  /** The order could not be carried out. */
  | { readonly report: "failed"; readonly message: string };

/** What the process hears when its wish was granted, or was not. */
export interface Granted {
  readonly granted: Wish["wish"];
  /** Undefined if it went well. */
  readonly failure: string | undefined;
}

/** What the process needs of the program. */
export interface Storages {
  findStorage(url: string): Promise<StorageAdapter>;
  openStorage(url: string, context: StorageContext): Promise<PetRepository>;
}

/** How the process talks to the one that started it. */
export interface Line {
  say(report: Report): void;
  /** Resolves as the wish is granted, or rejects. */
  wish(wish: Wish): Promise<void>;
}
