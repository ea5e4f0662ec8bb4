import type { KeyDescription, KeyStore } from "../../application/ports/key-store.js";
import { print, printJson, printTable, red } from "./output.js";

/** @param options `expires` is in milliseconds: `command-line.ts` reads durations such as `90d` */
export async function addKey(
  store: KeyStore,
  name: string,
  { expires, json }: { expires?: number; json?: true },
): Promise<void> {
  const key = await store.add(name, expires === undefined ? null : inFuture(expires));
  if (json) return printJson(key);
  print(`The key ${name} was made; ${key.expires ? `it expires at ${key.expires}` : "it never expires"}.`);
  print(`It is shown only now: ${key.secret}`);
}

export async function listKeys(store: KeyStore, { json }: { json?: true }): Promise<void> {
  const keys = (await store.list()).map((key) => ({ ...key, expired: isExpired(key) }));
  if (json) return printJson(keys);
  printTable([
    ["NAME", "CREATED", "EXPIRES"],
    ...keys.map(({ name, created, expires, expired }) => [
      name,
      created,
      expired ? red(`${expires} (expired)`) : (expires ?? "never"),
    ]),
  ]);
}

export async function revokeKey(store: KeyStore, name: string): Promise<void> {
  await store.revoke(name);
  print(`The key ${name} was revoked; running instances refuse it within 2 seconds.`);
}

function inFuture(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

function isExpired({ expires }: KeyDescription): boolean {
  return expires !== null && Date.parse(expires) <= Date.now();
}
