import { readFile, stat } from "node:fs/promises";
import * as v from "valibot";
import { digestOf, KEY_NAME } from "./api-key.js";

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
 * @param flag how to open it (open(2))
 * @throws Error that says what is wrong with the file and how to mend it
 */
export async function readKeysFile(path: string, flag: string | number = "r"): Promise<KeyRecord[]> {
  const file = await stat(path).catch(explain(path));
  if (!file.isFile()) throw new Error(`The keys file ${path} is no file; name one, e.g. ./data/keys.json.`);
  if ((file.mode & 0o077) !== 0) {
    throw new Error(`The keys file ${path} may be read by others; run: chmod 600 ${path}`);
  }
  const text = await readFile(path, { encoding: "utf8", flag }).catch(explain(path));
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

const REMEDIES: Record<string, string> = {
  ENOENT: "is not there; correct the path, or restore the file from a backup",
  EACCES: "cannot be read by this user; give it to the user that the service runs as, with chown",
};

/** Says what to do about a file that cannot be read, in place of a bare ENOENT. */
function explain(path: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const remedy = REMEDIES[cause.code ?? ""];
    if (remedy) throw new Error(`The keys file ${path} ${remedy}.`);
    throw new Error(`The keys file ${path} cannot be read; correct the path, or mend the file.`, { cause });
  };
}

function damaged(path: string, what: string): Error {
  return new Error(`The keys file ${path} is damaged: ${what}; restore it from a backup, or move it away.`);
}
