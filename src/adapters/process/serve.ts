import { buildPetstore } from "../../container.js";
import { unknownSettings } from "../../settings/describe-settings.js";
import { readSettings } from "../../settings/settings.js";
import { refuseUnshared } from "../../settings/storage-rules.js";
import { findAdapter } from "../../storages/known-storages.js";
import { hideSecrets, maskUrl } from "../../storages/mask-url.js";
import { loadStorages } from "../../storages/storages.js";
import { createAdminApp } from "../http/admin.js";
import { createHttpServer } from "../http/server/http-server.js";
import { listen } from "../http/server/listen.js";
import { createKeysFile } from "../keys/change-keys-file.js";
import { announce, isWatched, showFirstKey } from "./announce.js";
import { explainFailure } from "./explain-failure.js";
import { inheritedSockets } from "./inherited-sockets.js";
import { openLog } from "./log.js";
import { tellServiceManager } from "./service-manager.js";
import { type ignoreHangups, signalled } from "./signals.js";
import { readVersion } from "./version.js";

/** How many connections the admin port may have: probes and scrapers are few, and never wait behind the API's clients. */
const ADMIN_CONNECTIONS = 100;

/** How long the storage may take to close, in milliseconds. A storage that does not let go must not keep the program. */
const CLOSE_PATIENCE = 5000;

/** How long timers and sockets that are left may keep the process once everything is closed, in milliseconds. */
const END_PATIENCE = 500;

/**
 * Serves the API and the admin port until a signal ends it; false if it had to cut requests in flight. `run.ts` makes
 * an exit code of that.
 *
 * @param logHangups logs each SIGHUP, also those that came during the start
 * @param instance marks the lines of the log; with it the process is one of several
 * @throws Error that says what to correct
 */
export async function serve(
  environment: NodeJS.ProcessEnv,
  logHangups: ReturnType<typeof ignoreHangups>,
  instance: string | undefined,
): Promise<boolean> {
  const sockets = inheritedSockets(environment, process.pid);
  const storages = await loadStorages(environment.PETSTORE_STORAGE_ADAPTERS);
  const settings = readSettings(environment, storages);
  const { PETSTORE_STORAGE: url } = settings;
  if (instance !== undefined) refuseUnshared(instance, url, storages);
  const adapter = findAdapter(url, storages);
  const hide = hideSecrets(adapter, url);
  const log = await openLog(settings.PETSTORE_LOG_LEVEL, hide, environment, instance);
  logHangups(log);
  for (const name of unknownSettings(environment, storages)) {
    log.warn({ name }, "unknown setting ignored; is it misspelt?");
  }
  const petstore = await buildPetstore(settings, log);
  const admin = createAdminApp({
    findUnready: petstore.findUnready,
    readMetrics: () => petstore.metrics.read(),
    build: { version: readVersion(), node: process.version },
    readOnly: settings.PETSTORE_READ_ONLY,
    log,
  });
  const { server: adminServer } = createHttpServer(admin, ADMIN_CONNECTIONS);
  async function close(): Promise<void> {
    adminServer.close();
    adminServer.closeAllConnections();
    // It keeps the process, in which perhaps nothing else is left.
    const late = setTimeout(() => {
      log.fatal("the storage does not close; the program ends without it");
      process.exit(1);
    }, CLOSE_PATIENCE);
    await petstore
      .close()
      .catch((error: Error) => {
        throw new Error(hide(explainFailure(error)));
      })
      .finally(() => clearTimeout(late));
  }
  const stopAsked = signalled();
  try {
    const addresses = {
      api: await petstore.listen(sockets.api),
      admin: await listen(adminServer, {
        host: settings.PETSTORE_ADMIN_HOST,
        port: settings.PETSTORE_ADMIN_PORT,
        fd: sockets.admin,
        settings: ["PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"],
      }),
      storage: maskUrl(adapter, url),
    };
    const { PETSTORE_PORT: port } = environment;
    if (sockets.api !== undefined && port !== undefined && !addresses.api.endsWith(`:${port}`)) {
      log.warn(
        { address: addresses.api },
        "PETSTORE_PORT ignored: ListenStream of the socket unit counts; change it there",
      );
    }
    // A service that cannot listen makes no key.
    const show = isWatched(environment) ? showFirstKey : undefined;
    const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE, show);
    await petstore.keys.start?.();
    // A program that reads these lines may send a signal at once.
    announce(addresses, firstKey);
    tellServiceManager("READY=1", environment, log);
    const signal = await stopAsked;
    log.info({ signal }, "stopping");
    tellServiceManager("STOPPING=1", environment, log);
    const finished = await petstore.stop(settings.PETSTORE_STOP_TIMEOUT * 1000);
    await close();
    if (finished) log.info("stopped");
    else log.error("stopped with requests in flight, or answers that clients had not read");
    return finished;
  } finally {
    await close();
    setTimeout(() => process.exit(), END_PATIENCE).unref();
  }
}
