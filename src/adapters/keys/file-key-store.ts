import { existsSync } from "node:fs";
import { realpath, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { KEY_NAME, type KeyDescription, type KeyStore } from "../../application/ports/key-store.js";
import { createApiKey } from "./api-key.js";
import { createKeyRecord, type KeyRecord, readKeys, unusable, writeKeys } from "./keys-file.js";

/** How long to wait for the lock of another command, in milliseconds. */
const LOCK_TIMEOUT = 10_000;

/** Creates the keys file with one key, and resolves to that key; to undefined if the file exists. */
export async function createFirstKey(path: string): Promise<string | undefined> {
  if (existsSync(path)) return undefined;
  const secret = createApiKey();
  return (await writeKeys(path, [createKeyRecord("default", secret)], true)) ? secret : undefined;
}

/** Manages the keys in the file that `FileKeyVerifier` reads. */
export class FileKeyStore implements KeyStore {
  constructor(readonly location: string) {}

  async add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }> {
    if (!KEY_NAME.test(name)) throw new Error(`A key's name must match ${KEY_NAME.source}.`);
    const secret = createApiKey();
    const record = createKeyRecord(name, secret, expires);
    if (!existsSync(this.location)) await writeKeys(this.location, [], true);
    await this.change((keys) => {
      if (keys.every((key) => key.name !== name)) return [...keys, record];
      throw new Error(`There is a key named ${name}; revoke it first, or choose another name.`);
    });
    return { name, created: record.created, expires, secret };
  }

  async list(): Promise<readonly KeyDescription[]> {
    return (await readKeys(this.location)).map(({ sha256, ...description }) => description);
  }

  async revoke(name: string): Promise<void> {
    await this.change((keys) => {
      const others = keys.filter((key) => key.name !== name);
      if (others.length < keys.length) return others;
      throw new Error(`No key is named ${name}; petstore keys list shows those there are.`);
    });
  }

  private async change(edit: (keys: readonly KeyRecord[]) => readonly KeyRecord[]): Promise<void> {
    // A symlink stays one: the service may read its target.
    const file = await realpath(this.location).catch(() => this.location);
    // Not `.lock` or `.changing`, which earlier releases may have left behind.
    const lock = `${file}.lockfile`;
    await takeLock(lock);
    try {
      await writeKeys(file, edit(await readKeys(file)));
    } finally {
      await rm(lock, { force: true });
    }
  }
}

/** Only commands take the lock, so a stale one never keeps a service from starting. */
async function takeLock(path: string): Promise<void> {
  for (const deadline = performance.now() + LOCK_TIMEOUT; ; await sleep(20)) {
    const error = await writeFile(path, "", { flag: "wx" }).catch((cause: NodeJS.ErrnoException) => cause);
    if (!error) return;
    if (error.code !== "EEXIST") throw unusable(path, error);
    if (performance.now() < deadline) continue;
    throw new Error(`The keys are locked by ${path}; if no petstore command is running, delete that file.`);
  }
}
