/** The primary result codes of SQLite (sqlite.org/rescode.html) that this adapter distinguishes. */
const CODE = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
};

/** Whether another connection holds the lock, so that another try may help. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CODE.BUSY || code === CODE.LOCKED;
}

function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number };
  // The extended codes keep the primary one in their lowest byte.
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/**
 * An error with the remedy for a failure that waiting does not mend; undefined for other failures. Only a copy gets it:
 * a create that fails, even on a full disk, rejects with `storage_unavailable`.
 */
export function lastingFault(cause: unknown): Error | undefined {
  const lasting = [CODE.FULL, CODE.READONLY, CODE.CORRUPT, CODE.NOTADB, CODE.CONSTRAINT];
  if (!lasting.includes(primaryCode(cause) ?? 0)) return undefined;
  return new Error(`The SQLite file cannot be written: ${adviceFor(cause)}`, { cause });
}

/**
 * An error that says what is wrong with a file that cannot be opened, and what to do about it.
 *
 * @param name the path as the operator wrote it
 */
export function startError(name: string, cause: unknown): Error {
  return new Error(`The SQLite file ${name} cannot be used: ${adviceFor(cause)}`, { cause });
}

const DENIED =
  "this user may not write it, its -wal or -shm, or its folder; correct the path, or their owner and permissions. A " +
  "service of systemd may write to no other folder than its unit lets it, which is only /var/lib/petstore.";

function adviceFor(cause: unknown): string {
  switch (primaryCode(cause) ?? (cause as NodeJS.ErrnoException).code) {
    case CODE.BUSY:
    case CODE.LOCKED:
      return "another program holds its lock; end that program, or name another file.";
    case "ENOENT":
      // Of a folder that is read-only Node says that it is not there.
      return (cause as NodeJS.ErrnoException).syscall === "mkdir"
        ? DENIED
        : "it is gone, while it was in use; put it back, or start again with an empty one.";
    case CODE.CANTOPEN:
      return `it is a folder, or ${DENIED}`;
    case CODE.READONLY:
    case CODE.PERM:
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return DENIED;
    case CODE.CORRUPT:
    case CODE.NOTADB:
      return "it is damaged, or no SQLite database; restore it from a backup, or name another file.";
    case CODE.CONSTRAINT:
      return "a pet of FROM has an id from 2^53 on, which only another program gives; give it a lower one, or name another TO.";
    case CODE.FULL:
    case CODE.IOERR:
    case "ENOSPC":
      return "the disk is full or failing; make room and start again.";
    default:
      // An error that names a system call comes from making the folder, and not from SQLite.
      return (cause as NodeJS.ErrnoException).syscall
        ? "its folder cannot be made; correct the path, or the permissions of the folder above."
        : (cause as Error).message;
  }
}
