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

/** A message to the thread: work for one transaction, or the order to close the file and end. */
export type Order = { readonly commit: readonly Work[] } | { readonly commit?: never };

/** A message of the thread: the results in the order of the work, or why none of it is stored. */
export type Answer =
  | { readonly results: readonly unknown[] }
  | { readonly failure: { readonly message: string; readonly errcode: number | undefined } };
