import type { KeyDescription, KeyStore, NewKey } from "../../application/ports/key-store.js";
import { makeApiKey } from "./api-key.js";
import { changeKeysFile, type KeyRecord, keyRecord, readKeysFile } from "./keys-file.js";

/** Manages the keys in the file that `FileKeyVerifier` reads. */
export class FileKeyStore implements KeyStore {
  constructor(private readonly path: string) {}

  async add(name: string, expires: string | null): Promise<NewKey> {
    const secret = makeApiKey();
    const record = keyRecord(name, secret, expires);
    await changeKeysFile(this.path, (keys) => {
      if (keys.some((key) => key.name === name)) {
        throw new Error(`There is a key named ${name}; revoke it first, or choose another name.`);
      }
      return [...keys, record];
    });
    return { ...describe(record), secret };
  }

  async list(): Promise<KeyDescription[]> {
    const keys = await readKeysFile(this.path).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return keys.map(describe);
  }

  async revoke(name: string): Promise<void> {
    await changeKeysFile(this.path, (keys) => {
      const others = keys.filter((key) => key.name !== name);
      if (others.length === keys.length) {
        throw new Error(`No key is named ${name}; petstore keys list shows those there are.`);
      }
      return others;
    });
  }
}

function describe({ name, created, expires }: KeyRecord): KeyDescription {
  return { name, created, expires };
}
