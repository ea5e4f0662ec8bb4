import { randomBytes } from "node:crypto";
import {
  changeKeys,
  createKeyRecord,
  createKeysFile,
  expiryOf,
  type KeyRecord,
  readKeys,
} from "./keys-file.js";

/** Creates a key of 192 random bits. Its prefix lets people and secret scanners recognise a leaked key. */
function createApiKey(): string {
  return `petstore_${randomBytes(24).toString("base64url")}`;
}

/** Creates the keys file with one key, and resolves to that key; to undefined if the file exists. */
export async function createFirstKey(path: string): Promise<string | undefined> {
  const secret = createApiKey();
  return (await createKeysFile(path, [createKeyRecord("default", secret)])) ? secret : undefined;
}

type KeyDescription = Omit<KeyRecord, "sha256">;

/** Manages the keys in the file that `FileKeyVerifier` reads. Errors say what to do. */
export class FileKeyStore {
  constructor(readonly location: string) {}

  /** Creates a key under a unique name. Its secret cannot be recovered later. */
  async add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }> {
    const secret = createApiKey();
    const record = createKeyRecord(name, secret, expires);
    await createKeysFile(this.location, []);
    await changeKeys(this.location, (keys) => {
      if (keys.every((key) => key.name !== name)) return [...keys, record];
      throw new Error(`A key named ${name} already exists; revoke it first, or choose a different name.`);
    });
    return { name, created: record.created, expires, secret };
  }

  async list(): Promise<readonly (KeyDescription & { readonly expired: boolean })[]> {
    const records = await readKeys(this.location);
    return records.map(({ sha256, ...key }) => ({ ...key, expired: expiryOf(key.expires) <= Date.now() }));
  }

  async revoke(name: string): Promise<void> {
    await changeKeys(this.location, (keys) => {
      const remaining = keys.filter((key) => key.name !== name);
      if (remaining.length < keys.length) return remaining;
      throw new Error(`No key named ${name}; see \`petstore keys list\`.`);
    });
  }
}
