#!/usr/bin/env node
import { resolve } from "node:path";
import { stopSignal } from "./adapters/process/signals.js";
import { readVersion } from "./adapters/process/version.js";
import { flushed } from "./commands/output.js";

// Each command loads only what it needs.

async function serve(): Promise<number> {
  // Before anything is awaited: pid 1 of a container ignores signals that have no handler.
  const stopping = stopSignal();
  const { serve } = await import("./commands/serve.js");
  return serve(process.env, stopping);
}

/** Runs the command. Resolves to the exit code. */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || (argv.length === 1 && argv[0] === "serve")) return serve();
  // Standard output is for results; storages from outside may print, too.
  if (argv[0] !== "serve") globalThis.console = new console.Console(process.stderr);
  const { runCommandLine } = await import("./commands/command-line.js");
  const { env } = process;
  async function loadStorages() {
    const { Storages } = await import("./storages.js");
    return Storages.load(env.PETSTORE_STORAGE_ADAPTERS);
  }
  return runCommandLine(argv, {
    version: readVersion(),
    serve,
    async openKeyStore() {
      const { PETSTORE_KEYS_FILE } = env;
      const { readSettings } = await import("./settings.js");
      const settings = readSettings({ PETSTORE_KEYS_FILE });
      const { FileKeyStore } = await import("./adapters/keys/file-key-store.js");
      return new FileKeyStore(resolve(settings.keysFile));
    },
    loadStorages,
    async describeSettings() {
      const { describeSettings } = await import("./settings.js");
      const storages = await loadStorages();
      return describeSettings(env, storages.faultsOf(env), (url) => storages.mask(url));
    },
  });
}

try {
  // Explicit, since a storage may leave handles open.
  const code = await run(process.argv.slice(2));
  await flushed();
  process.exit(code);
} catch (thrown) {
  const error: Error & { exitCode?: number } =
    thrown instanceof Error ? thrown : new Error("a value that is not an Error was thrown");
  const { message, stack, cause, exitCode } = error;
  // Show the stack of an unexpected error.
  const isExpected = exitCode !== undefined || Object.getPrototypeOf(error) === Error.prototype;
  console.error(
    `petstore: ${isExpected ? message : stack}${cause instanceof Error ? ` (${cause.message})` : ""}`,
  );
  process.exit(exitCode ?? 1);
}
