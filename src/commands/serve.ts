import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../adapters/http/listen.js";
import { createFirstKey } from "../adapters/keys/file-key-store.js";
import { FileKeyVerifier } from "../adapters/keys/file-key-verifier.js";
import { PrometheusMetrics } from "../adapters/metrics/prometheus-metrics.js";
import { createLog, flushLog } from "../adapters/process/log.js";
import { inheritedSocket, notify, printsToJournal } from "../adapters/process/systemd.js";
import { readVersion } from "../adapters/process/version.js";
import type { Storage, StorageContext } from "../application/storage-adapter.js";
import { createContainer, TOKENS } from "../container.js";
import { readSettings, unknownSettings } from "../settings.js";
import { Storages } from "../storages.js";

/**
 * How long an interrupted start waits for the storage to open, and a stop at least for it to close (ms).
 * SQLite may wait for two locks, and an exit meanwhile would crash the process.
 */
const STORAGE_TIMEOUT = 9000;

/** Serves the API and the admin port until `stopping` aborts. Resolves to the exit code. */
export async function serve(env: NodeJS.ProcessEnv, stopping: AbortSignal): Promise<number> {
  const stopped = once(stopping, "abort");
  const version = readVersion();

  const storages = await Storages.load(env);
  const settings = readSettings(env, storages.faultsOf(env));
  const url = settings.storage;
  const log = await createLog(settings.logLevel, storages.redact(url));
  for (const name of unknownSettings(env)) log.warn({ name }, "unknown setting ignored; is it misspelt?");
  const metrics = new PrometheusMetrics(version, settings.readOnly);
  metrics.addProcess();
  const keys = await FileKeyVerifier.open(settings.keysFile, settings.apiKey, log, metrics);
  const addReading: StorageContext["addReading"] = (reading) => metrics.addReading(reading);
  const opening = storages.open(url, { log, addReading, mayMake: true });
  const tooLate = stopped.then(() => sleep(STORAGE_TIMEOUT));
  const storage = await Promise.race([opening, tooLate]).catch((error) => {
    if (!stopping.aborted) throw error;
  });
  if (storage && stopping.aborted) await closes(storage, STORAGE_TIMEOUT);
  if (!storage || stopping.aborted) return 0;

  const program = createContainer({ version, settings, log, metrics, keys, storage, stopping });
  const guard = program.resolve(TOKENS.guard);
  const server = program.resolve(TOKENS.server);
  // Listens before the API does, so that a failure cuts no request.
  const { address: adminAddress } = await listen(program.resolve(TOKENS.adminServer), {
    host: settings.adminHost,
    port: settings.adminPort,
    settings: ["PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"],
  });
  const { address, origin } = await listen(server, {
    host: settings.host,
    port: settings.port,
    fd: inheritedSocket(env),
    settings: ["PETSTORE_HOST", "PETSTORE_PORT"],
  });

  // Create the first key only after listening succeeded, and never where it would end up in the journal.
  const firstKey = printsToJournal(env) ? undefined : await createFirstKey(settings.keysFile);
  await keys.start();
  void guard.check();
  const lines = [
    `petstore listens on ${address}`,
    ...(origin ? [`  documentation  ${origin}/docs`] : []),
    `  admin port     ${adminAddress}`,
    `  storage        ${storages.mask(url)}`,
    ...(settings.readOnly ? ["  read-only      creates are rejected (PETSTORE_READ_ONLY)"] : []),
  ];
  if (firstKey) {
    lines.unshift(`Created the first API key; it will not be shown again: ${firstKey}`);
    if (origin) lines.push(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets`);
  }
  console.log(lines.join("\n"));
  notify(["READY=1"], env, log);

  await stopped;
  const deadline = performance.now() + settings.stopTimeout * 1000;
  log.info({ signal: stopping.reason }, "stopping");
  // The timeout may exceed TimeoutStopSec of the unit; the storage may take longer.
  const extension = settings.stopTimeout * 1_000_000 + (STORAGE_TIMEOUT + 6000) * 1000;
  notify(["STOPPING=1", `EXTEND_TIMEOUT_USEC=${extension}`], env, log);
  const cut = await server.stop(settings.stopTimeout * 1000);
  guard.close();
  keys.close();
  const left = Math.max(deadline - performance.now(), STORAGE_TIMEOUT);
  const isClosed = await closes(storage, left);
  if (!isClosed) log.error({ storage: url.split(":")[0] }, "the storage did not close in time");
  if (cut > 0) log.error({ connections: cut }, "stopped with requests in flight, or unread responses");
  else if (isClosed) log.info("stopped");
  await flushLog(log);
  return cut > 0 || !isClosed ? 1 : 0;
}

/** Resolves to whether the storage closes in time. */
async function closes(storage: Storage, milliseconds: number): Promise<boolean> {
  return Promise.race([storage.close().then(() => true), sleep(milliseconds, false)]);
}
