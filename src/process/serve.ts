import type { Server } from "node:http";
import { listen } from "../adapters/http/server/listen.js";
import { createKeysFile } from "../adapters/keys/keys-file.js";
import { buildPetstore } from "../container.js";
import { unknownSettings } from "../settings/describe-settings.js";
import { readSettings, type Settings } from "../settings/settings.js";
import { hideSecretsOf, maskStorage } from "../settings/storage-rules.js";
import { Storages } from "../storages/storages.js";
import { buildAdminServer, closeServer } from "./admin-server.js";
import { explainFailure } from "./explain-failure.js";
import { type InheritedSockets, inheritedSockets } from "./inherited-sockets.js";
import { type Log, openLog } from "./log.js";
import { tellServiceManager } from "./service-manager.js";

/** How long the storage may take to close, in milliseconds. */
const CLOSE_PATIENCE = 5000;

/** How long timers and sockets that are left may keep the process once everything is closed, in milliseconds. */
const END_PATIENCE = 500;

/**
 * Serves the API and the admin port until a signal ends it; false if it had to cut requests in flight. `main.ts` makes
 * an exit code of that.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<boolean> {
  // A reload that an operator asks for during the start follows at its end.
  let renewAsked = false;
  let renew = () => {
    renewAsked = true;
  };
  process.on("SIGHUP", () => renew());
  const sockets = inheritedSockets(environment, process.pid);
  const storages = await Storages.load(environment.PETSTORE_STORAGE_ADAPTERS);
  const settings = readSettings(environment, storages);
  const hide = hideSecretsOf(settings.PETSTORE_STORAGE, storages);
  const log = await openLog(settings.PETSTORE_LOG_LEVEL, hide);
  for (const name of unknownSettings(environment, storages)) {
    log.logger.warn({ name }, "unknown setting ignored; is it misspelt?");
  }
  const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE);
  if (firstKey) console.log(`The first API key was made. It is shown only now: ${firstKey}`);

  const service = await (settings.PETSTORE_WORKERS > 1
    ? severalProcesses(settings, log)
    : oneProcess(settings, log, sockets));
  const patience = settings.PETSTORE_STOP_TIMEOUT * 1000;
  try {
    const api = await service.listen();
    const admin = await listen(
      service.adminServer,
      { host: settings.PETSTORE_ADMIN_HOST, port: settings.PETSTORE_ADMIN_PORT, fd: sockets.admin },
      { host: "PETSTORE_ADMIN_HOST", port: "PETSTORE_ADMIN_PORT" },
    );
    const stopAsked = signalled();
    renew = () => service.renew(patience);
    if (renewAsked) renew();
    // A program that reads these lines may send a signal at once.
    announce(api, admin, maskStorage(settings.PETSTORE_STORAGE, storages), firstKey);
    tellServiceManager("READY=1", environment, log.logger);
    const signal = await stopAsked;
    log.logger.info({ signal }, "stopping");
    tellServiceManager("STOPPING=1", environment, log.logger);
    const finished = await service.stop(patience);
    if (finished) log.logger.info("stopped");
    else log.logger.error("stopped with requests in flight, which took too long");
    return finished;
  } finally {
    // A storage that does not let go must not keep the program, nor what a library has left open.
    setTimeout(() => process.exit(1), CLOSE_PATIENCE).unref();
    await service.close().catch((error: Error) => {
      throw new Error(hide(explainFailure(error)));
    });
    setTimeout(() => process.exit(), END_PATIENCE).unref();
  }
}

/** The service that this process provides: by itself, or by workers. */
interface Service {
  readonly adminServer: Server;
  /** Gives the address of the API once it listens there. */
  listen(): Promise<string>;
  /** Replaces the workers without a gap. `patience` is as in `stop`. */
  renew(patience: number): void;
  /** Stops serving (see `stop-server.ts`); false if it had to cut requests in flight after `patience` milliseconds. */
  stop(patience: number): Promise<boolean>;
  close(): Promise<void>;
}

async function oneProcess(settings: Settings, log: Log, sockets: InheritedSockets): Promise<Service> {
  const petstore = await buildPetstore(settings, log);
  return {
    adminServer: petstore.adminServer,
    listen: () =>
      listen(
        petstore.server,
        { host: settings.PETSTORE_HOST, port: settings.PETSTORE_PORT, fd: sockets.api },
        { host: "PETSTORE_HOST", port: "PETSTORE_PORT" },
      ),
    renew: () => log.logger.warn("SIGHUP ignored: it replaces workers, and PETSTORE_WORKERS is 1"),
    stop: petstore.stop,
    close: petstore.close,
  };
}

async function severalProcesses(settings: Settings, log: Log): Promise<Service> {
  const { Workers } = await import("./workers.js");
  if (settings.PETSTORE_RATE_LIMIT)
    (await import("../adapters/http/middleware/limit-rate.js")).countForWorkers();
  const workers = new Workers(settings.PETSTORE_WORKERS, settings.PETSTORE_READ_ONLY, log);
  const adminServer = buildAdminServer(
    { findReadiness: () => workers.findReadiness(), readMetrics: () => workers.readMetrics() },
    log,
  );
  return {
    adminServer,
    listen: () => workers.start(),
    renew: (patience) => workers.replaceAll(patience),
    stop: (patience) => workers.stop(patience),
    async close() {
      closeServer(adminServer);
      await workers.close();
    },
  };
}

/** Prints the addresses, the API's first, in one write: programs wait for the lines, and must not read half of them. */
function announce(api: string, admin: string, storage: string, firstKey: string | undefined): void {
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
