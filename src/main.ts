#!/usr/bin/env node
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "./adapters/http/listen.js";
import { createHttpServer } from "./adapters/http/server.js";
import { stop } from "./adapters/http/stop.js";
import { createFirstKey, FileKeyStore } from "./adapters/keys/file-key-store.js";
import { FileKeyVerifier } from "./adapters/keys/file-key-verifier.js";
import { Metrics } from "./adapters/metrics/metrics.js";
import { createLog } from "./adapters/process/log.js";
import { stopSignal } from "./adapters/process/signals.js";
import { inheritedSocket, isInteractive, notify } from "./adapters/process/systemd.js";
import { readVersion } from "./adapters/process/version.js";
import type { StorageAdapter } from "./application/storage-adapter.js";
import { createContainer, TOKENS } from "./container.js";
import { describeSettings, readSettings, SettingsError } from "./settings.js";
import * as storages from "./storages.js";

/** Serves the API and the admin port until a signal. Resolves to the exit code. */
async function serve(): Promise<number> {
  // Before anything is awaited: pid 1 of a container ignores signals that have no handler.
  const stopping = stopSignal();
  const stopped = new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve()));
  const { env } = process;

  const known = await storages.loadStorages(env.PETSTORE_STORAGE_ADAPTERS);
  const settings = readSettings(env, known);
  const url = settings.PETSTORE_STORAGE;
  const log = await createLog(settings.PETSTORE_LOG_LEVEL, storages.redactUrl(url, known));
  for (const { name, origin } of describeSettings(env, known)) {
    if (origin === "unknown") log.warn({ name }, "unknown setting ignored; is it misspelt?");
  }

  const metrics = new Metrics(readVersion());
  const keys = await FileKeyVerifier.open(settings.PETSTORE_KEYS_FILE, settings.PETSTORE_API_KEY, log);
  metrics.add({
    name: "petstore_keys_next_expiry_days",
    help: "Days until the next API key expires; absent if none will.",
    type: "gauge",
    read: () => keys.daysToNextExpiry() ?? Number.NaN,
  });
  const context = { log, addReading: metrics.add.bind(metrics), mayMake: true };
  // On a signal, opening gets 5 s to finish: exiting in the middle could abort the process.
  const tooLate = stopped.then(() => sleep(5000, undefined));
  const storage = await Promise.race([storages.openStorage(url, known, context), tooLate]);
  if (stopping.aborted) {
    await storage?.close();
    return 0;
  }
  if (!storage) throw new Error("The storage opened as undefined; ask its author.");

  const container = createContainer({ settings, log, metrics, storage, keys, stopping });
  const guard = container.resolve(TOKENS.guard);
  const api = createHttpServer(container.resolve(TOKENS.app), {
    maxConnections: settings.PETSTORE_MAX_CONNECTIONS,
    requestRejected: (request) => {
      metrics.requestRejected(request);
      log.info(request, "request refused");
    },
  });
  const admin = createHttpServer(container.resolve(TOKENS.admin), { maxConnections: 100 });
  // Before the API, so that a failure here cuts no request.
  const adminOrigin = await listen(admin, {
    host: settings.PETSTORE_ADMIN_HOST,
    port: settings.PETSTORE_ADMIN_PORT,
    settings: ["PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"],
  });
  const origin = await listen(api, {
    host: settings.PETSTORE_HOST,
    port: settings.PETSTORE_PORT,
    fd: inheritedSocket(env),
    settings: ["PETSTORE_HOST", "PETSTORE_PORT"],
  });

  // Create the first key only after listening succeeded, and never where it would end up in the journal.
  const firstKey = isInteractive(env) ? await createFirstKey(settings.PETSTORE_KEYS_FILE) : undefined;
  await keys.start();
  void guard.watch();
  const lines = [
    `petstore listens on ${origin}`,
    `  documentation  ${origin}/docs`,
    `  admin port     ${adminOrigin}`,
    `  storage        ${storages.maskUrl(url, known)}`,
  ];
  if (firstKey) {
    lines.unshift(`The first API key was made. It is shown only now: ${firstKey}`);
    lines.push(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets`);
  }
  console.log(lines.join("\n"));
  notify(["READY=1"], env, log);

  await stopped;
  log.info({ signal: stopping.reason }, "stopping");
  // May exceed the unit's TimeoutStopSec; what is open afterwards gets a few seconds more.
  const extension = (settings.PETSTORE_STOP_TIMEOUT + 10) * 1_000_000;
  notify(["STOPPING=1", `EXTEND_TIMEOUT_USEC=${extension}`], env, log);
  const cut = await stop(api, settings.PETSTORE_STOP_TIMEOUT * 1000);
  guard.close();
  keys.close();
  await storage.close();
  if (cut > 0) log.error({ connections: cut }, "stopped with requests in flight, or unread responses");
  else log.info("stopped");
  return cut > 0 ? 1 : 0;
}

/** Runs the command. Resolves to the exit code. */
async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || (argv.length === 1 && argv[0] === "serve")) return serve();
  // Standard output is for results; storages from outside may print, too.
  if (argv[0] !== "serve") globalThis.console = new console.Console(process.stderr);
  const { runCommandLine } = await import("./adapters/cli/command-line.js");
  const { env } = process;
  const known = await storages.loadStorages(env.PETSTORE_STORAGE_ADAPTERS);
  return runCommandLine(argv, {
    version: readVersion(),
    serve,
    openKeyStore: () => {
      const { PETSTORE_KEYS_FILE } = env;
      return new FileKeyStore(resolve(readSettings({ PETSTORE_KEYS_FILE }, known).PETSTORE_KEYS_FILE));
    },
    storages: known,
    findStorage: async (url) => findStorage(url, known),
    openStorage: (url, context) => storages.openStorage(url, known, context),
    redactUrl: (url) => storages.redactUrl(url, known),
    describeSettings: () => describeSettings(env, known),
    exampleUrls: [storages.DEFAULT_STORAGE, "mongodb://127.0.0.1:27017/petstore"],
  });
}

/** The storage of a URL on the command line. */
function findStorage(url: string, known: storages.KnownStorages): StorageAdapter {
  if (known.faults.length > 0)
    throw new SettingsError(`PETSTORE_STORAGE_ADAPTERS ${known.faults.join("; ")}`);
  const adapter = storages.findAdapter(url, known);
  const fault = storages.checkUrl(url, known);
  if (!adapter || fault) throw new SettingsError(`The URL of a storage ${fault}`);
  return adapter;
}

try {
  // Explicit, since a storage may leave handles open.
  process.exit(await run(process.argv.slice(2)));
} catch (error) {
  const { message, stack, cause, exitCode } = error as Error & { exitCode?: number };
  // Show the stack of an unexpected error.
  const isExpected = exitCode !== undefined || Object.getPrototypeOf(error) === Error.prototype;
  console.error(
    `petstore: ${isExpected ? message : stack}${cause instanceof Error ? ` (${cause.message})` : ""}`,
  );
  process.exit(exitCode ?? 1);
}
