import { storageUnavailable } from "../../domain/errors.js";

const DENIED =
  "this user may not write it, its -wal or -shm, or its folder; correct the path, or their owner and permissions. A " +
  "service of systemd may write to no other folder than its unit lets it, which is only /var/lib/petstore.";
const LOCKED = "another program holds its lock; end that program, or name another file.";
const DAMAGED = "it is damaged, or no SQLite database; restore it from a backup, or name another file.";
const FULL = "the disk is full or failing; make room and start again.";

/** How to fix a failure, by SQLite's primary result code (sqlite.org/rescode.html) or Node's error code. */
const ADVICE: Readonly<Record<string | number, string>> = {
  5: LOCKED, // SQLITE_BUSY
  8: DENIED, // SQLITE_READONLY
  10: FULL, // SQLITE_IOERR
  11: DAMAGED, // SQLITE_CORRUPT
  13: FULL, // SQLITE_FULL
  14: `it is a folder, or ${DENIED}`, // SQLITE_CANTOPEN
  19: "a pet has an id of 2^53 or more, which only another program gives; give it a lower one.", // SQLITE_CONSTRAINT
  26: DAMAGED, // SQLITE_NOTADB
  EACCES: DENIED,
  EROFS: DENIED,
  ENOENT: DENIED, // from `mkdir` below a read-only folder
  ENOSPC: FULL,
};

/** SQLITE_READONLY, _CORRUPT, _FULL, _CONSTRAINT, _NOTADB: a retry does not help. */
const PERMANENT: readonly unknown[] = [8, 11, 13, 19, 26];

function codeOf(error: unknown): string | number | undefined {
  const { errcode, code } = error as { errcode?: number; code?: string };
  // An extended code has the primary one in its lowest byte.
  return errcode === undefined ? code : errcode & 0xff;
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 5;
}

/** Says why a file cannot be opened, and how to fix that. */
export function unusable(path: string, cause: unknown): Error {
  const advice = ADVICE[codeOf(cause) ?? ""] ?? (cause as Error).message;
  return new Error(`The SQLite file ${path} cannot be used: ${advice}`, { cause });
}

/** @throws PetstoreError `storage_unavailable` */
export function unavailable(cause: unknown): never {
  throw storageUnavailable(cause);
}

/** For archives. @throws Error with the remedy if a retry does not help; otherwise as `unavailable` */
export function unavailableOrPermanent(cause: unknown): never {
  const code = codeOf(cause);
  if (!PERMANENT.includes(code)) unavailable(cause);
  throw new Error(`The SQLite file cannot be written: ${ADVICE[code ?? ""]}`, { cause });
}
