import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import type { PetStatus } from "../../../domain/pet.js";
import type { DatabaseFile } from "../database.js";

/** The data that the writing thread gets at its start. */
export interface WriterStart {
  readonly file: DatabaseFile;
  /** Whether to make a missing file: not if it goes missing while in use. */
  readonly make: boolean;
  readonly gauges: SharedArrayBuffer;
}

/** The thread's report on its start. After an error it ends. */
export type Opening =
  | { readonly opened: true }
  | { readonly opened: false; readonly message: string; readonly cause: string };

/** A create in a message, as an array: Node clones arrays faster than objects. */
export type SentCreate = readonly [
  name: string,
  categoryId: bigint,
  status: PetStatus,
  key: string | null,
  fingerprint: string | null,
];

/** A request to the thread. */
export type Work =
  | { readonly does: "create"; readonly creates: readonly SentCreate[] }
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
  /** The id of each pet. */
  readonly ids: readonly bigint[];
  /** The creates whose key was there already. */
  readonly replayed: readonly Replay[];
}

export type Replay = readonly [
  index: number,
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

/** Milliseconds on a clock that all threads of the process share, and that never jumps. */
export function sharedNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
