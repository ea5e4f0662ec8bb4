import type { Logger } from "pino";
import type { Metrics } from "../adapters/metrics/metrics.js";
import { buildPetstore } from "../container.js";
import type { Settings } from "../settings/settings.js";
import type { RunningService } from "./running-service.js";

/** How long the storage may take to close, in milliseconds. A storage that does not let go must not keep the program. */
const CLOSE_PATIENCE = 5000;

/** Runs the service in this process. */
export async function oneProcess(
  settings: Settings,
  log: Logger,
): Promise<RunningService & { readonly metrics: Metrics }> {
  const { listen, findUnready, metrics, ...petstore } = await buildPetstore(settings, log);
  let stopped: Promise<boolean> | undefined;
  async function stop(patience: number): Promise<boolean> {
    const finished = await petstore.stop(patience);
    setTimeout(() => {
      log.fatal("the storage does not close; the program ends without it");
      process.exit(1);
    }, CLOSE_PATIENCE).unref();
    await petstore.close();
    return finished;
  }
  return {
    // A fault that ends the service ends its process.
    failed: new Promise(() => {}),
    listen,
    findUnready,
    metrics,
    readMetrics: () => metrics.read(),
    workerBuilds: () => [],
    renew: () => log.warn("SIGHUP ignored: it replaces workers, and PETSTORE_WORKERS is 1"),
    stop(patience) {
      stopped ??= stop(patience);
      return stopped;
    },
  };
}
