import type { Logger } from "pino";
import { createAdminApp } from "../adapters/http/admin.js";
import { createHttpServer } from "../adapters/http/server/http-server.js";
import { listen } from "../adapters/http/server/listen.js";
import { createKeysFile } from "../adapters/keys/change-keys-file.js";
import { unknownSettings } from "../settings/describe-settings.js";
import { readSettings, type Settings } from "../settings/settings.js";
import { hideSecretsOf, maskStorage } from "../storages/known-storages.js";
import { Storages } from "../storages/storages.js";
import { explainFailure } from "./explain-failure.js";
import { inheritedSockets } from "./inherited-sockets.js";
import { openLog } from "./log.js";
import { oneProcess } from "./one-process.js";
import type { RunningService } from "./running-service.js";
import { tellServiceManager } from "./service-manager.js";
import { readVersion } from "./version.js";
import { Workers } from "./workers.js";

/** How many connections the admin port may have: probes and scrapers are few, and never wait behind the API's clients. */
const ADMIN_CONNECTIONS = 100;

/** How long timers and sockets that are left may keep the process once everything is closed, in milliseconds. */
const END_PATIENCE = 500;

/**
 * Serves the API and the admin port until a signal ends it; false if it had to cut requests in flight. `main.ts` makes
 * an exit code of that.
 *
 * @param reloads yields for each SIGHUP, also for those that came during the start
 * @throws Error that says what to correct, or that no worker process is left
 */
export async function serve(
  environment: NodeJS.ProcessEnv,
  reloads: AsyncIterable<unknown>,
): Promise<boolean> {
  const sockets = inheritedSockets(environment, process.pid);
  const storages = await Storages.load(environment.PETSTORE_STORAGE_ADAPTERS);
  const settings = readSettings(environment, storages);
  const hide = hideSecretsOf(settings.PETSTORE_STORAGE, storages);
  const log = await openLog(settings.PETSTORE_LOG_LEVEL, hide, environment);
  for (const name of unknownSettings(environment, storages)) {
    log.warn({ name }, "unknown setting ignored; is it misspelt?");
  }
  const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE);
  if (firstKey) console.log(`The first API key was made. It is shown only now: ${firstKey}`);

  const service: RunningService = await (settings.PETSTORE_WORKERS > 1 ? severalProcesses : oneProcess)(
    settings,
    log,
  );
  const stop = (patience: number) =>
    service.stop(patience).catch((error: Error) => {
      throw new Error(hide(explainFailure(error)));
    });
  const build = { version: readVersion(), node: process.version };
  const admin = createAdminApp({
    findUnready: () => service.findUnready(),
    readMetrics: () => service.readMetrics(),
    readBuilds: () => ({ ...build, workers: service.workerBuilds() }),
    readOnly: settings.PETSTORE_READ_ONLY,
    log,
  });
  const { server: adminServer } = createHttpServer(admin, ADMIN_CONNECTIONS);
  const patience = settings.PETSTORE_STOP_TIMEOUT * 1000;
  const start = async () => ({
    api: await service.listen(sockets.api),
    admin: await listen(adminServer, {
      host: settings.PETSTORE_ADMIN_HOST,
      port: settings.PETSTORE_ADMIN_PORT,
      fd: sockets.admin,
      settings: ["PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"],
    }),
    storage: maskStorage(settings.PETSTORE_STORAGE, storages),
  });
  // The first of several workers serves before the last one listens, which may take long.
  const stopAsked = signalled();
  try {
    const addresses = await Promise.race([start(), stopAsked.then(() => undefined)]);
    if (addresses) {
      (async () => {
        for await (const _ of reloads) service.renew(patience);
      })();
      // A program that reads these lines may send a signal at once.
      announce(addresses, firstKey);
      tellServiceManager("READY=1", environment, log);
    }
    const signal = await Promise.race([stopAsked, service.failed]);
    log.info({ signal }, "stopping");
    tellServiceManager("STOPPING=1", environment, log);
    const finished = await stop(patience);
    if (finished) log.info("stopped");
    else log.error("stopped with requests in flight, or answers that clients had not read");
    return finished;
  } finally {
    adminServer.close();
    adminServer.closeAllConnections();
    await stop(0);
    setTimeout(() => process.exit(), END_PATIENCE).unref();
  }
}

async function severalProcesses({ PETSTORE_RATE_LIMIT, PETSTORE_WORKERS }: Settings, log: Logger) {
  // Counts the requests that the workers limit (`limit-rate.ts` of HTTP).
  if (PETSTORE_RATE_LIMIT) new (await import("rate-limiter-flexible")).RateLimiterClusterMaster();
  return new Workers(PETSTORE_WORKERS, log);
}

/** Prints the addresses, the API's first, in one write: programs wait for the lines, and must not read half of them. */
function announce(
  { api, admin, storage }: Readonly<Record<"api" | "admin" | "storage", string>>,
  firstKey: string | undefined,
): void {
  const [, path] = /^unix:(.+)/.exec(api) ?? [];
  const lines = [
    `petstore listens on ${api}`,
    `  documentation  ${path ? "/docs" : `${api}/docs`}`,
    `  admin port     ${admin}`,
    `  storage        ${storage}`,
  ];
  const address = path ? `--unix-socket ${path} http://localhost` : api;
  if (firstKey) lines.push(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
  console.log(lines.join("\n"));
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A second signal within this time of the first, in milliseconds, counts as the same: timeout(1) sends it twice. */
const SAME_SIGNAL = 100;

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, as signals do. */
function signalled(): Promise<string> {
  return new Promise((resolve) => {
    const onSignal = (signal: string) => {
      resolve(signal);
      setTimeout(() => {
        for (const name of SIGNALS) process.off(name, onSignal);
      }, SAME_SIGNAL).unref();
    };
    for (const name of SIGNALS) process.on(name, onSignal);
  });
}
