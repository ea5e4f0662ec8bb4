import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { digestOf } from "./api-key.js";

const keyRecord = v.object({
  name: v.pipe(v.string(), v.regex(KEY_NAME)),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  created: v.string(),
  expires: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
});
const keysFile = v.object({ version: v.literal(1), keys: v.array(keyRecord) });

/** An API key in the file, which stores only its digest. */
export type KeyRecord = v.InferOutput<typeof keyRecord>;

/** The record of a key created now. */
export function createKeyRecord(name: string, secret: string, expires: string | null = null): KeyRecord {
  return { name, sha256: digestOf(secret).toString("hex"), created: new Date().toISOString(), expires };
}

/** @throws Error that says what is wrong with the file and how to correct it */
export async function readKeys(path: string): Promise<readonly KeyRecord[]> {
  try {
    return v.parse(keysFile, JSON.parse(await readFile(path, "utf8"))).keys;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code) throw unusable(path, cause);
    // Without the cause, whose message may quote the file.
    throw new Error(`The keys file ${path} is damaged; restore it from a backup, or move it away.`);
  }
}

/** Writes the file atomically and durably. Resolves to false if `isNew` and the file exists. */
export async function writeKeys(path: string, keys: readonly KeyRecord[], isNew = false): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    await (isNew ? link : rename)(temporary, path);
    // Otherwise a power cut could undo the rename, and bring back a revoked key.
    const folder = await open(dirname(path));
    await folder.sync().finally(() => folder.close());
    return true;
  } catch (cause) {
    if (isNew && (cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw unusable(path, cause);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

export function unusable(path: string, cause: unknown): Error {
  const remedy = "correct the path, its owner or mode, or make room";
  return new Error(`The keys file ${path} cannot be used; ${remedy}.`, { cause });
}
