import type { ArchivedPet } from "../../../application/ports/pet-archive.js";
import type { PetStatus } from "../../../domain/pet.js";
import type { DatabaseFile } from "../database.js";

/** What the writing thread is given at its start. */
export interface WriterStart {
  readonly file: DatabaseFile;
  /** Whether a file that is missing is made: not while it is in use. */
  readonly make: boolean;
  readonly gauges: SharedArrayBuffer;
}

/** What the thread tells of its start; an error ends it. */
export type Opening =
  | { readonly opened: true }
  | { readonly opened: false; readonly message: string; readonly cause: string };

/** A create as it is sent: arrays are cloned faster than objects. */
export type SentCreate = readonly [
  name: string,
  categoryId: bigint,
  status: PetStatus,
  key: string | null,
  fingerprint: string | null,
];

/** What the thread is asked to do. */
export type Work =
  | { readonly does: "create"; readonly creates: readonly SentCreate[] }
  | { readonly does: "storePets"; readonly pets: readonly ArchivedPet[] }
  | { readonly does: "raiseIds"; readonly id: bigint }
  | { readonly does: "writeMark"; readonly mark: string | undefined }
  /** Commits something that changes nothing, to find out whether that is possible again. */
  | { readonly does: "probe" }
  | { readonly does: "close" };

export interface Request {
  readonly number: number;
  /** In milliseconds of `sharedNow`. What is not begun by then is not begun at all. */
  readonly deadline: number;
  readonly work: Work;
}

export interface Answer {
  readonly number: number;
  /** Undefined where it failed. */
  readonly result?: unknown;
  /** Why it failed. */
  readonly error?: WriterFailure;
}

/** What became of the creates of a message. */
export interface CreatesResult {
  /** The id of each. */
  readonly ids: readonly bigint[];
  /** Those whose key was there already. */
  readonly replayed: readonly Replay[];
}

export type Replay = readonly [
  index: number,
  name: string,
  categoryId: bigint,
  status: PetStatus,
  fingerprint: string,
];

/** An error of SQLite or of the system, as it can be sent. */
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
