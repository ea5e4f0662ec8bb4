import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import type { ArchivedRow, NewRow } from "../rows.js";

/** The id of the new pet, or the pet that is there already under its key. */
export type Created = bigint | ArchivedRow;

/** The id of the first pet that conflicts with a stored one, so that none is stored. */
export type Conflict = bigint | undefined;

/** Something to write. */
export type Work =
  /** Its result is `Created`. */
  | { readonly does: "create"; readonly row: NewRow }
  /** Its result is `Conflict`. */
  | { readonly does: "storePets"; readonly pets: readonly ArchivedPet[] }
  | { readonly does: "raiseIds"; readonly id: bigint }
  /** A commit without a change, to find out whether commits are possible again. */
  | { readonly does: "probe" };

/** A message to the thread. */
export type Order =
  /** To do the work in one transaction. */
  | { readonly order: "commit"; readonly work: readonly Work[] }
  /** To close the file, and end. */
  | { readonly order: "close" };

/** A message of the thread: first `open`, then an answer to each `commit`. */
export type Report =
  | { readonly report: "open" }
  /** With the results in the order of the work. */
  | { readonly report: "committed"; readonly results: readonly unknown[] }
  /** Nothing of the work is stored. */
  | { readonly report: "failed"; readonly message: string; readonly errcode: number | undefined };
