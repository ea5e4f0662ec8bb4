#!/usr/bin/env node
import { explainFailure } from "./process/explain-failure.js";
import { describeSettings, readSettings, SettingsError } from "./settings/settings.js";

/** Each command loads what it needs and nothing else; `serve` does without the parser of the command line, too. */
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
    describeSettings: () => describeSettings(process.env),
    adminAddress,
  });
}

async function serve(): Promise<boolean> {
  const program = await import("./process/serve.js");
  return program.serve(process.env);
}

async function openKeyStore() {
  const { FileKeyStore } = await import("./adapters/keys/file-key-store.js");
  return new FileKeyStore(readSettings(process.env).PETSTORE_KEYS_FILE);
}

/** Where the admin port of an instance with the same settings is asked. */
function adminAddress(): string {
  const { PETSTORE_ADMIN_HOST: host, PETSTORE_ADMIN_PORT: port } = readSettings(process.env);
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

process.exitCode = await run(process.argv.slice(2)).catch((error: Error) => {
  console.error(`petstore: ${explainFailure(error)}`);
  return error instanceof SettingsError ? 2 : 1;
});
