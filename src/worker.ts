import cluster from "node:cluster";
import { explainFailure } from "./process/explain-failure.js";
import { inheritedSockets } from "./process/inherited-sockets.js";
import { complain } from "./process/journal.js";
import { openLog } from "./process/log.js";
import { oneProcess } from "./process/one-process.js";
import { readVersion } from "./process/version.js";
import type { Order, Report } from "./process/worker-process.js";
import { readSettings } from "./settings/settings.js";
import { hideSecretsOf } from "./storages/known-storages.js";
import { Storages } from "./storages/storages.js";

/**
 * Runs a worker process. `process/workers.ts` starts it and gives it orders. This file stays beside
 * `main.ts`: a primary of an earlier version looks for it here when it replaces its workers by those of a new
 * version (SIGHUP).
 */
async function work(): Promise<void> {
  // Terminals and service managers signal every process. A worker ignores signals, and waits for orders.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  const storages = await Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS);
  const settings = readSettings(process.env, storages);
  const hide = hideSecretsOf(settings.PETSTORE_STORAGE, storages);
  const service = await oneProcess(settings, await openLog(settings.PETSTORE_LOG_LEVEL, hide, process.env));
  // What the metrics load is loaded now: later a client may hold all descriptors.
  await service.metrics.readAll();
  const address = await service.listen(inheritedSockets(process.env, process.ppid).api);
  process.on("message", (message: Order) => {
    obey(service, message).catch((error) => {
      // For example, the storage does not close. The primary replaces the worker if need be.
      const reason = hide(explainFailure(error));
      complain(`a worker ends, since it cannot carry out an order: ${reason}`, process.env);
      process.exit(1);
    });
  });
  const build = { version: readVersion(), node: process.version };
  await tell({ report: "listening", address, build });
}

async function obey(service: Awaited<ReturnType<typeof oneProcess>>, order: Order): Promise<void> {
  switch (order.order) {
    case "readiness":
      return tell({ report: "readiness", unready: await service.findUnready() });
    case "metrics":
      return tell({ report: "metrics", metrics: await service.metrics.readAll() });
    case "stop": {
      const finished = await service.stop(order.patience);
      await tell({ report: "stopped", finished, metrics: await service.metrics.readAll() });
      // Only the channel to the primary still holds the process. To exit at once could cut off a thread of the storage.
      cluster.worker?.disconnect();
    }
  }
}

function tell(report: Report): Promise<void> {
  // An error means that the primary has ended; then this process ends as well.
  return new Promise((resolve) => process.send?.(report, undefined, undefined, () => resolve()));
}

work().catch(async (error: Error) => {
  await tell({ report: "failed", message: explainFailure(error) });
  process.exit(1);
});
