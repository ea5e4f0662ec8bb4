import cluster from "node:cluster";
import { listen } from "./adapters/http/server/listen.js";
import { collectGarbage, giveBackLostConnections } from "./adapters/http/server/node-internals.js";
import { loadPromClientSoon } from "./adapters/metrics/load-prom-client.js";
import { buildPetstore } from "./container.js";
import type { Petstore } from "./petstore.js";
import { explainFailure } from "./process/explain-failure.js";
import { inheritedSockets } from "./process/inherited-sockets.js";
import { openLog } from "./process/log.js";
import type { Answers, Report, SentAnswer, SentOrder } from "./process/worker-messages.js";
import { readSettings } from "./settings/settings.js";
import { SettingsError } from "./settings/settings-error.js";
import { Storages } from "./storages/storages.js";

/**
 * Runs a worker process. `process/workers.ts` starts it and gives it orders. This file stays beside
 * `main.ts`: a primary of an earlier version looks for it here when it replaces its workers by those of a new
 * version (SIGHUP).
 */
async function work(): Promise<void> {
  // Terminals and service managers signal every process. A worker ignores signals, and waits for orders.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  giveBackLostConnections();
  let petstore: Petstore | undefined;
  // This comes first: the primary kills a worker that does not answer, even before it listens.
  process.on("message", (message: Partial<SentOrder>) => {
    if (message.order) obey(petstore, message as SentOrder).catch(end);
  });
  const settings = readSettings(process.env, await Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS));
  petstore = await buildPetstore(settings, await openLog(settings.PETSTORE_LOG_LEVEL));
  const { PETSTORE_HOST: host, PETSTORE_PORT: port } = settings;
  const address = { host, port, fd: inheritedSockets(process.env, process.ppid).api };
  collectGarbage();
  await tell({
    report: "listening",
    address: await listen(petstore.server, address, { host: "PETSTORE_HOST", port: "PETSTORE_PORT" }),
  });
  loadPromClientSoon();
}

async function obey(petstore: Petstore | undefined, order: SentOrder): Promise<void> {
  if (order.order === "alive") return answer(order, {});
  // The primary gives other orders only once the worker listens.
  if (!petstore) return;
  switch (order.order) {
    case "readiness":
      return answer(order, await petstore.findReadiness());
    case "metrics":
      return answer(order, { metrics: await petstore.metrics.readAll() });
    case "stop": {
      const finished = await petstore.stop(order.patience, order.replaced);
      await answer(order, { finished, metrics: await petstore.metrics.readAll() });
      await petstore.close();
      // Only the channel to the primary still holds the process, so this ends it. After process.disconnect()
      // cluster would call process.exit(), before the driver of a storage releases its file.
      cluster.worker?.disconnect();
    }
  }
}

function answer<Name extends keyof Answers>(
  { id }: SentOrder & { order: Name },
  answer: Answers[Name],
): Promise<void> {
  return tell({ answerTo: id, answer });
}

function tell(message: Report | SentAnswer): Promise<void> {
  // An error means that the primary has ended; then this process ends as well.
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

/** Ends the worker, which cannot do what it was told, e.g. close its storage. The primary replaces it if need be. */
function end(error: Error): void {
  console.error(`petstore: a worker ends, since it cannot carry out an order: ${explainFailure(error)}`);
  process.exit(1);
}

work().catch(async (error: Error) => {
  await tell({
    report: "failed",
    message: explainFailure(error),
    settings: error instanceof SettingsError,
  });
  process.exit(1);
});
