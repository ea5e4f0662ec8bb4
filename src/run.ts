import { resolve } from "node:path";
import { KEY_NAME } from "./adapters/keys/api-key.js";
import { FileKeyStore } from "./adapters/keys/file-key-store.js";
import { explainFailure } from "./adapters/process/explain-failure.js";
import { complain } from "./adapters/process/journal.js";
import { ignoreHangups } from "./adapters/process/signals.js";
import { readVersion } from "./adapters/process/version.js";
import { describeSettings } from "./settings/describe-settings.js";
import { readSettings, type Settings } from "./settings/settings.js";
import { SettingsError } from "./settings/settings-error.js";
import { findStorage } from "./settings/storage-rules.js";
import { BUILT_IN_STORAGES, EXAMPLE_URLS } from "./storages/built-in.js";
import { openStorage } from "./storages/open-storage.js";
import { loadStorages } from "./storages/storages.js";

/** The service loads no parser of the command line, and the commands load no service. */
async function run(argv: readonly string[]): Promise<void> {
  checkNode();
  if (argv.length === 0 || (argv.length === 1 && argv[0] === "serve")) {
    if (!(await serve())) process.exitCode = 1;
    return;
  }
  const { runCommandLine } = await import("./adapters/cli/command-line.js");
  await runCommandLine(argv, {
    version: readVersion(),
    serve,
    openKeyStore: async () => {
      const { PETSTORE_KEYS_FILE: path } = readSome("PETSTORE_KEYS_FILE");
      return new FileKeyStore(resolve(path), process.env.PETSTORE_KEYS_FILE !== undefined);
    },
    keyName: KEY_NAME,
    findStorage: async (url) => findStorage(url, await knownStorages()),
    openStorage: async (url, context) => openStorage(url, await knownStorages(), context),
    knownStorages,
    exampleUrls: EXAMPLE_URLS,
    describeSettings: async () => describeSettings(process.env, await knownStorages()),
    adminAddress,
  });
}

/** Older ones lack what the modules import, and would end with a stack. */
function checkNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Node ${process.version} is too old; install 20.19 or newer.`);
}

async function serve(instance?: string): Promise<boolean> {
  const logHangups = ignoreHangups();
  const program = await import("./adapters/process/serve.js");
  return program.serve(process.env, logHangups, instance);
}

/** Reads the settings that a command needs. Those that it does not need may have faults. */
function readSome(...names: (keyof Settings)[]): Settings {
  const some = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return readSettings(some, BUILT_IN_STORAGES);
}

async function knownStorages() {
  return loadStorages(process.env.PETSTORE_STORAGE_ADAPTERS);
}

/** The address at which an instance with the same settings has its admin port. */
async function adminAddress(): Promise<string> {
  const { PETSTORE_ADMIN_HOST: host, PETSTORE_ADMIN_PORT: port } = readSome(
    "PETSTORE_ADMIN_HOST",
    "PETSTORE_ADMIN_PORT",
    "PETSTORE_HOST",
    "PETSTORE_PORT",
  );
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

await run(process.argv.slice(2)).catch((error: NodeJS.ErrnoException) => {
  if (error.code === "EMFILE" || error.code === "ENFILE") throw error;
  complain(explainFailure(error), process.env);
  process.exitCode = error instanceof SettingsError ? 2 : 1;
});
