#!/usr/bin/env node
import type { StorageContext } from "./application/ports/storage-adapter.js";
import { explainFailure } from "./process/explain-failure.js";
import { SettingsError } from "./settings/settings-error.js";

/**
 * Each command loads only the modules that it needs; `serve` does not even load the parser of the command
 * line.
 */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || (argv.length === 1 && argv[0] === "serve")) {
    return (await serve()) ? 0 : 1;
  }
  const { runCommandLine } = await import("./adapters/cli/command-line.js");
  const { readVersion } = await import("./process/version.js");
  return runCommandLine(argv, {
    version: readVersion(),
    serve,
    openKeyStore,
    findStorage,
    openStorage,
    knownStorages,
    exampleUrls,
    describeSettings,
    adminAddress,
  });
}

async function serve(): Promise<boolean> {
  // Until the service listens for the signal: a signal without a listener ends the process.
  process.on("SIGHUP", () => {});
  const program = await import("./process/serve.js");
  return program.serve(process.env);
}

async function openKeyStore() {
  const { FileKeyStore } = await import("./adapters/keys/file-key-store.js");
  return new FileKeyStore((await readSettings()).PETSTORE_KEYS_FILE);
}

async function findStorage(url: string) {
  const { findStorage } = await import("./storages/open-storage.js");
  return findStorage(url, await knownStorages());
}

async function openStorage(url: string, context: StorageContext) {
  const { openStorage } = await import("./storages/open-storage.js");
  return openStorage(url, await knownStorages(), context);
}

async function exampleUrls() {
  return (await import("./storages/built-in.js")).EXAMPLE_URLS;
}

async function describeSettings() {
  const { describeSettings } = await import("./settings/describe-settings.js");
  return describeSettings(process.env, await knownStorages());
}

async function readSettings() {
  const { readSettings } = await import("./settings/settings.js");
  return readSettings(process.env, await knownStorages());
}

async function knownStorages() {
  const { Storages } = await import("./storages/storages.js");
  return Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS);
}

/** The address at which an instance with the same settings has its admin port. */
async function adminAddress(): Promise<string> {
  const { PETSTORE_ADMIN_HOST: host, PETSTORE_ADMIN_PORT: port } = await readSettings();
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(`petstore: ${explainFailure(error)}`);
  return error instanceof SettingsError ? 2 : 1;
});
