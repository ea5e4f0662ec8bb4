import { storageUnavailable } from "../../domain/errors.js";

const DENIED =
  "this user may not write it, its -wal or -shm, or its folder; check the path, its owner and permissions. Under systemd " +
  "the service can write only to /var/lib/petstore.";
const NO_WAL = "its file system does not support a write-ahead log, or its locks; put it on a local disk.";
const CORRUPT = "it is corrupt, or not a SQLite database; restore a backup, or use another file.";
const FULL = "the disk is full; free some space and restart.";

/** Remedies by SQLite's result code, extended or primary (sqlite.org/rescode.html), or Node's error code. */
const ADVICE: Readonly<Record<string | number, string>> = {
  3: NO_WAL, // SQLITE_PERM, of a lock
  5: "it is locked by another program, or its file system has no locks (NFS); stop that program, or use a local disk.", // SQLITE_BUSY
  8: DENIED, // SQLITE_READONLY
  10: "the disk fails, or the quota is used up; check both, and the system log, and restart.", // SQLITE_IOERR
  11: CORRUPT, // SQLITE_CORRUPT
  13: FULL, // SQLITE_FULL
  14: `it is a folder, or too many files are open, or ${DENIED}`, // SQLITE_CANTOPEN
  15: NO_WAL, // SQLITE_PROTOCOL
  19: "an id is 2^53 or more, written by another program; change it.", // SQLITE_CONSTRAINT
  26: CORRUPT, // SQLITE_NOTADB
  3850: NO_WAL, // SQLITE_IOERR_LOCK
  4618: NO_WAL, // SQLITE_IOERR_SHMOPEN
  4874: FULL, // SQLITE_IOERR_SHMSIZE
  5130: NO_WAL, // SQLITE_IOERR_SHMLOCK
  5386: NO_WAL, // SQLITE_IOERR_SHMMAP
  EACCES: DENIED,
  EROFS: DENIED,
  ENOENT: DENIED, // from `mkdir` below a read-only folder
  ENOSPC: FULL,
};

/** Returns SQLite's result code, extended if known; its lowest byte is the primary code. 0 if none. */
export function resultCode(failure: unknown): number {
  // After a `prepare` or an open the driver reports only the primary code, in `errcode`.
  const { errcode = 0, sqliteExtendedCode = errcode } = failure as Record<string, number | undefined>;
  return sqliteExtendedCode;
}

/** Whether another connection holds the lock. */
export function isBusy(failure: unknown): boolean {
  return (resultCode(failure) & 0xff) === 5;
}

function adviceOn(failure: unknown): string {
  const { code, message } = failure as { code: string; message: string };
  return ADVICE[resultCode(failure) || code] ?? ADVICE[resultCode(failure) & 0xff] ?? message;
}

/** Returns an error that says why a file cannot be opened, and how to fix that. */
export function unusable(path: string, cause: unknown): Error {
  return new Error(`The SQLite file ${path} cannot be used: ${adviceOn(cause)}`, { cause });
}

export function unavailable(cause: unknown): never {
  throw storageUnavailable(cause);
}

/** For archives. @throws PetstoreError if the file is locked; otherwise Error with the remedy */
export function unavailableOrPermanent(cause: unknown): never {
  if (isBusy(cause)) unavailable(cause);
  throw new Error(`The SQLite file cannot be written: ${adviceOn(cause)}`, { cause });
}
