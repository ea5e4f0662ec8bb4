import { resolve } from "node:path";
import { FileKeyStore } from "../adapters/keys/file-key-store.js";
import { readSettings } from "../settings.js";
import { type Output, print, printJson, printTable } from "./output.js";

/** Reads only one setting: a missing or faulty storage must not stop a revocation. */
export function openKeyStore({ PETSTORE_KEYS_FILE }: NodeJS.ProcessEnv): FileKeyStore {
  return new FileKeyStore(resolve(readSettings({ PETSTORE_KEYS_FILE }).keysFile));
}

export async function addKey(name: string, options: Output & { expires?: string }): Promise<void> {
  const { expires, json } = options;
  const store = openKeyStore(process.env);
  const key = await store.add(name, expires ?? null);
  if (json) return printJson({ ...key, file: store.location });
  const expiry = expires ? `It expires at ${expires}` : "It never expires";
  await print(`Created key ${name} in ${store.location}. ${expiry}.`);
  await print(`It will not be shown again: ${key.secret}`);
}

export async function listKeys({ json }: Output): Promise<void> {
  const keys = await openKeyStore(process.env).list();
  if (json) return printJson(keys);
  const rows = keys.map(({ name, created, expires, expired }) => {
    return [name, created, expired ? `${expires} (expired)` : (expires ?? "never")];
  });
  await printTable([["NAME", "CREATED", "EXPIRES"], ...rows]);
}

export async function revokeKey(name: string): Promise<void> {
  const store = openKeyStore(process.env);
  await store.revoke(name);
  await print(`Revoked key ${name} in ${store.location}; running instances reject it within 2 seconds.`);
}
