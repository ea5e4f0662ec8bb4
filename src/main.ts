#!/usr/bin/env node
import { on } from "node:events";
import { FileKeyStore } from "./adapters/keys/file-key-store.js";
import { explainFailure } from "./process/explain-failure.js";
import { readVersion } from "./process/version.js";
import { describeSettings } from "./settings/describe-settings.js";
import { readSettings } from "./settings/settings.js";
import { SettingsError } from "./settings/settings-error.js";
import { EXAMPLE_URLS } from "./storages/built-in.js";
import { findStorage, openStorage } from "./storages/open-storage.js";
import { Storages } from "./storages/storages.js";

/** The service loads no parser of the command line, and the commands load no service. */
async function run(argv: readonly string[]): Promise<void> {
  if (argv.length === 0 || (argv.length === 1 && argv[0] === "serve")) {
    if (!(await serve())) process.exitCode = 1;
    return;
  }
  const { runCommandLine } = await import("./adapters/cli/command-line.js");
  await runCommandLine(argv, {
    version: readVersion(),
    serve,
    openKeyStore: async () => new FileKeyStore((await settings()).PETSTORE_KEYS_FILE),
    findStorage: async (url) => findStorage(url, await knownStorages()),
    openStorage: async (url, context) => openStorage(url, await knownStorages(), context),
    knownStorages,
    exampleUrls: EXAMPLE_URLS,
    describeSettings: async () => describeSettings(process.env, await knownStorages()),
    adminAddress,
  });
}

async function serve(): Promise<boolean> {
  // Without a listener the signal would end the process. Those that come during the start wait here.
  const reloads = on(process, "SIGHUP");
  const program = await import("./process/serve.js");
  return program.serve(process.env, reloads);
}

async function settings() {
  return readSettings(process.env, await knownStorages());
}

async function knownStorages() {
  return Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS);
}

/** The address at which an instance with the same settings has its admin port. */
async function adminAddress(): Promise<string> {
  const { PETSTORE_ADMIN_HOST: host, PETSTORE_ADMIN_PORT: port } = await settings();
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(`petstore: ${explainFailure(error)}`);
  process.exitCode = error instanceof SettingsError ? 2 : 1;
});
