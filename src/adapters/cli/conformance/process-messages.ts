import type { NewPet } from "../../../domain/pet.js";

/** An order to the process that uses the storages. It carries out one at a time. */
export type Order =
  /** Inspect a storage that should be empty. */
  | { readonly order: "inspect"; readonly url: string }
  /** Run the case with this name. Each of the URLs is that of a new storage. */
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

/** The abilities of a storage that its adapter does not tell: its own, and those that the operator's options add. */
export interface Offered {
  readonly archive: boolean;
  readonly petsRead: boolean;
  readonly deletePet: boolean;
  readonly outage: boolean;
}

/** The findings about a storage that was opened. */
export interface Sight {
  readonly empty: boolean;
  readonly archive: boolean;
  readonly petsRead: boolean;
}

export type Outcome =
  | { readonly outcome: "held" }
  | { readonly outcome: "broken"; readonly seen: string }
  /** The storage was not empty when the case opened it. The case has changed nothing in it. */
  | { readonly outcome: "refused"; readonly url: string };

/** A wish for one of the operator's commands. Only the process that the operator started can run it. */
export type Wish =
  | { readonly wish: "down" | "up" }
  | { readonly wish: "deletePet"; readonly url: string; readonly id: bigint };

/** A message from the process: the answer to an order, or news while it carries out the order. */
export type Report =
  | Answer
  /** The process is about to open a storage that may not exist yet. */
  | { readonly report: "opens"; readonly url: string }
  | { readonly report: "wish"; readonly wish: Wish }
  /** An error outside of any operation, which would end the service. */
  | { readonly report: "uncaught"; readonly message: string };

export type Answer =
  | { readonly report: "sight"; readonly sight: Sight }
  | { readonly report: "outcome"; readonly outcome: Outcome }
  /** The process could not carry out the order. */
  | { readonly report: "failed"; readonly message: string };

/** The reply to a wish. */
export interface Granted {
  readonly granted: Wish["wish"];
  /** Why the wish failed; undefined if it was granted. */
  readonly failure: string | undefined;
}

/** The line from the process to the one that started it. */
export interface Line {
  say(report: Report): void;
  /** Resolves once the wish is granted; rejects if it fails. */
  wish(wish: Wish): Promise<void>;
}
