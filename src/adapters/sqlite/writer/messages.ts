import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import type { PetStatus } from "../../../domain/pet.js";
import type { DatabaseFile } from "../database.js";

/** The data that the writing thread gets at its start. */
export interface WriterStart {
  readonly file: DatabaseFile;
  /** Whether to make a missing file; false for a file that goes missing while in use. */
  readonly make: boolean;
  readonly gauges: SharedArrayBuffer;
  readonly bell: SharedArrayBuffer;
}

/** The thread's first message, once it has the file open; all others are answers. If it cannot open the file, it throws. */
export const OPENED = "opened";

/**
 * Creates go in one array, five values each: name, categoryId, status, key and fingerprint. Node clones it
 * faster than an array of objects.
 */
export type SentValue = string | bigint | null;
export const VALUES = 5;

/** A request to the thread. */
export type Work =
  | { readonly does: "create"; readonly values: readonly SentValue[] }
  | { readonly does: "storePets"; readonly pets: readonly ArchivedPet[] }
  | { readonly does: "raiseIds"; readonly id: bigint }
  | { readonly does: "writeMark"; readonly mark: string | undefined }
  /** A commit without a change, to find out whether commits are possible again. */
  | { readonly does: "probe" }
  | { readonly does: "close" };

export interface Request {
  readonly number: number;
  /** In milliseconds of `sharedNow`. The thread does not begin the work later. */
  readonly deadline: number;
  readonly work: Work;
}

export interface Answer {
  readonly number: number;
  /** The result; undefined if the work failed. */
  readonly result?: unknown;
  /** Why the work failed. */
  readonly error?: WriterFailure;
}

/** The results of the creates of a message. */
export interface CreatesResult {
  /** The id of the first pet that is new; the others have the ids that follow. */
  readonly first: bigint;
  /** The creates whose key was there already. */
  readonly replayed: readonly Replay[];
}

export type Replay = readonly [
  index: number,
  id: bigint,
  name: string,
  categoryId: bigint,
  status: PetStatus,
  fingerprint: string,
];

/** An error of SQLite or of the system, in a form that a message can carry. */
export interface WriterFailure {
  readonly message: string;
  readonly code: string | undefined;
  /** SQLite's extended result code. */
  readonly errcode: number | undefined;
}
