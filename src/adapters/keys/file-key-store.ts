import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import type { KeyDescription, KeyStore } from "../../application/ports/key-store.js";
import { createApiKey } from "./api-key.js";
import {
  createKeyRecord,
  expiryOf,
  type KeyRecord,
  readKeys,
  reject,
  withLock,
  writeKeys,
} from "./keys-file.js";

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
    const secret = createApiKey();
    const record = createKeyRecord(name, secret, expires);
    if (!existsSync(this.location)) await writeKeys(this.location, [], true);
    await this.change((keys) => {
      if (keys.every((key) => key.name !== name)) return [...keys, record];
      throw new Error(`A key named ${name} already exists; revoke it first, or choose a different name.`);
    });
    return { name, created: record.created, expires, secret };
  }

  async list(): Promise<readonly (KeyDescription & { readonly expired: boolean })[]> {
    const now = Date.now();
    return (await readKeys(this.location)).map(({ sha256, ...key }) => ({
      ...key,
      expired: expiryOf(key.expires) <= now,
    }));
  }

  async revoke(name: string): Promise<void> {
    await this.change((keys) => {
      const remaining = keys.filter((key) => key.name !== name);
      if (remaining.length < keys.length) return remaining;
      throw new Error(`No key named ${name}; see \`petstore keys list\`.`);
    });
  }

  private async change(edit: (keys: readonly KeyRecord[]) => readonly KeyRecord[]): Promise<void> {
    // Follows symlinks: the service may read the target.
    const file = await realpath(this.location).catch(() => this.location);
    const change = async () => writeKeys(file, edit(await readKeys(file)));
    await withLock(file, change).catch((cause) => reject(file, cause));
  }
}
