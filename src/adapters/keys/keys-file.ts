import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { digestOf, makeApiKey } from "./api-key.js";
import { withLock } from "./file-lock.js";

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

/** The record of a key that is made now. */
export function keyRecord(name: string, secret: string, expires: string | null = null): KeyRecord {
  const sha256 = digestOf(secret).toString("hex");
  return { name, sha256, created: new Date().toISOString(), expires };
}

/**
 * Reads the file of keys.
 *
 * @throws Error that says what is wrong with the file and how to mend it; `ENOENT` if there is none.
 */
export async function readKeysFile(path: string): Promise<KeyRecord[]> {
  const file = await stat(path).catch(explainDenial(path));
  if (!file.isFile()) throw new Error(`The keys file ${path} is no file; name one, e.g. ./data/keys.json.`);
  if ((file.mode & 0o077) !== 0) {
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

/** An empty file that says that the keys file was there once. */
const markOf = (path: string) => `${path}.made`;

/**
 * Makes the file with one key, which never expires, at the first start.
 *
 * @returns the key, which nobody can find out later; undefined if the file is there already
 * @throws Error if the file was there once and is gone: a new key in its place would lock out every client
 */
export async function createKeysFile(path: string): Promise<string | undefined> {
  if (existsSync(path)) return undefined;
  return withLock(path, async () => {
    if (existsSync(path)) return undefined;
    if (existsSync(markOf(path))) {
      throw new Error(
        `The keys file ${path} is gone; restore it from a backup, or give up its keys with: petstore keys add NAME`,
      );
    }
    const secret = makeApiKey();
    await writeKeysFile(path, [keyRecord("default", secret)]);
    return secret;
  });
}

/** Replaces the keys in the file by what `change` makes of them, while no other process changes them. */
export function changeKeysFile(
  path: string,
  change: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  return withLock(path, async () => {
    const keys = existsSync(path) ? await readKeysFile(path) : [];
    await writeKeysFile(path, change(keys));
  });
}

/** Writes the file of keys whole or not at all, so that only its owner can read it. */
export async function writeKeysFile(path: string, keys: readonly KeyRecord[]): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    await giveToOwnerOf(existsSync(path) ? path : dirname(path), temporary);
    await rename(temporary, path);
    await writeFile(markOf(path), "", { flag: "a", mode: 0o600 });
    await giveToOwnerOf(path, markOf(path));
    // Without this, a power cut can undo a rename that was reported as done: a key that is revoked would be back.
    const folder = await open(dirname(path), "r");
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a file that root makes to the owner of its neighbour: the service seldom runs as root, and must read it. */
async function giveToOwnerOf(neighbour: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(neighbour);
  await chown(file, uid, gid);
}

function damaged(path: string, what: string): Error {
  return new Error(`The keys file ${path} is damaged: ${what}; restore it from a backup, or move it away.`);
}
