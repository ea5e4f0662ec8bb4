import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, link, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { digestOf, makeApiKey } from "./api-key.js";

const instant = v.pipe(
  v.string(),
  v.isoTimestamp(),
  // Not every form of ISO 8601 is one that Date can read.
  v.check((text) => !Number.isNaN(Date.parse(text))),
);

const KeysFileSchema = v.object({
  version: v.literal(1),
  keys: v.array(
    v.object({
      name: v.pipe(v.string(), v.regex(KEY_NAME)),
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      created: instant,
      expires: v.nullable(instant),
    }),
  ),
});

/** One API key in the file, which has only its digest: nobody stores the key itself. */
export type KeyRecord = v.InferOutput<typeof KeysFileSchema>["keys"][number];

export function keyRecord(name: string, secret: string, created: Date, expires: Date | null): KeyRecord {
  return {
    name,
    sha256: digestOf(secret).toString("hex"),
    created: created.toISOString(),
    expires: expires?.toISOString() ?? null,
  };
}

/**
 * Reads the file of keys.
 *
 * @throws Error that says what is wrong with the file and how to mend it; `ENOENT` if there is none.
 */
export async function readKeysFile(path: string): Promise<KeyRecord[]> {
  const file = await stat(path).catch(explainDenial(path));
  if (!file.isFile()) throw new Error(`The keys file ${path} is no file; name one, e.g. ./data/keys.json.`);
  if (process.platform !== "win32" && (file.mode & 0o077) !== 0) {
    throw new Error(`The keys file ${path} may be read by others; run: chmod 600 ${path}`);
  }
  const text = await readFile(path, "utf8").catch(explainDenial(path));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw damaged(path, "it is not JSON");
  }
  const result = v.safeParse(KeysFileSchema, content);
  if (!result.success) throw damaged(path, `${v.getDotPath(result.issues[0]) ?? "it"} is not as it must be`);
  return result.output.keys;
}

/** Says what to do about a file that this user may not read, in place of a bare EACCES. */
function explainDenial(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
    throw new Error(
      `The keys file ${path} cannot be read by this user; give it to the user that the service runs as, with chown.`,
      { cause: error },
    );
  };
}

/** Writes the file of keys whole or not at all, so that only its owner can read it. */
export async function writeKeysFile(path: string, keys: readonly KeyRecord[]): Promise<void> {
  await withWritten(path, keys, (written) => rename(written, path));
}

/** An empty file that says that the keys file was there once. */
const markOf = (path: string) => `${path}.made`;

/**
 * Makes the file with one key, which never expires, at the first start.
 *
 * @returns the key, which nobody can find out later; undefined if the file is there already.
 * @throws Error if the file was there once and is gone: a new key in its place would lock out every client.
 */
export async function createKeysFile(path: string): Promise<string | undefined> {
  // Another first start may be under way. It makes the mark after the file, so this one looks for the mark
  // first.
  const wasMade = existsSync(markOf(path));
  if (existsSync(path)) return undefined;
  if (wasMade) {
    throw new Error(
      `The keys file ${path} is gone; restore it from a backup, or give up its keys with: petstore keys add NAME`,
    );
  }
  const secret = makeApiKey();
  const made = await makeKeysFile(path, [keyRecord("default", secret, new Date(), null)]);
  return made ? secret : undefined;
}

/** Makes the file; returns false if it is there already. */
export async function makeKeysFile(path: string, keys: readonly KeyRecord[]): Promise<boolean> {
  try {
    // Unlike a rename, a link fails if another process makes the file at the same time.
    await withWritten(path, keys, (written) => link(written, path));
    return true;
  } catch (error) {
    if (existsSync(path)) return false;
    throw new Error(
      `The keys file ${path} cannot be made; correct the path, or the permissions of its folder.`,
      { cause: error },
    );
  }
}

async function withWritten(
  path: string,
  keys: readonly KeyRecord[],
  use: (temporary: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    await giveToOwnerOf(existsSync(path) ? path : dirname(path), temporary);
    await use(temporary);
    await writeFile(markOf(path), "", { flag: "a", mode: 0o600 });
    await giveToOwnerOf(path, markOf(path));
    await flushFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Without this, a power cut can undo a rename that was reported as done: a key that is revoked would be back. */
async function flushFolder(path: string): Promise<void> {
  // Windows opens no folder.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Gives a file that root makes to the owner of its neighbour: the service seldom runs as root, and must read
 * the file.
 */
export async function giveToOwnerOf(neighbour: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(neighbour);
  await chown(file, uid, gid);
}

function damaged(path: string, what: string): Error {
  return new Error(`The keys file ${path} is damaged: ${what}; restore it from a backup, or move it away.`);
}
