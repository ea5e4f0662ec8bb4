import Koa from "koa";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import type { State } from "./context.js";
import { serveDocuments } from "./documents.js";
import { answerErrors, logUnanswered } from "./middleware/answer-errors.js";
import { answerUnrouted } from "./middleware/answer-unrouted.js";
import { authenticate } from "./middleware/authenticate.js";
import { allowOrigins } from "./middleware/cors.js";
import { identify } from "./middleware/identify.js";
import { limitRate } from "./middleware/limit-rate.js";
import { expectOperations, observe } from "./middleware/observe.js";
import { perform } from "./middleware/perform.js";
import { routeOperations } from "./middleware/route-operations.js";
import { validateHost, validateTarget } from "./middleware/validate.js";
import { orderOperations } from "./orders/routes.js";
import { type PetUseCases, petOperations } from "./pets/routes.js";
import type { Rejected } from "./reject.js";

interface AppDependencies {
  readonly pets: PetUseCases;
  readonly keys: KeyVerifier;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: AppSettings;
}

interface AppSettings {
  /** Makes links absolute; without a path and a slash at the end. */
  readonly publicUrl?: string | undefined;
  readonly corsOrigins?: readonly string[] | undefined;
  readonly trustProxy?: readonly string[] | undefined;
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | undefined;
  readonly maxInFlight: number;
  readonly getPet: "served" | "removed";
  readonly readOnly: boolean;
}

/** Builds the application. A request passes the middleware from top to bottom. */
export function createApp({ pets, keys, log, metrics, settings }: AppDependencies): Koa {
  const operations = [...petOperations(pets, settings), ...orderOperations()];
  expectOperations(metrics, operations, () => keys.names());

  const app = new Koa<State>();
  app.use(identify);
  app.use(observe(log, metrics, settings));
  app.use(answerErrors(log));
  if (settings.corsOrigins) app.use(allowOrigins(settings.corsOrigins));
  app.use(validateTarget);
  app.use(routeOperations(operations).routes());
  app.use(validateHost);
  app.use(authenticate(keys));
  if (settings.rateLimit) app.use(limitRate(settings.rateLimit));
  app.use(perform(settings.maxInFlight));
  app.use(serveDocuments().routes());
  app.use(
    answerUnrouted("the operations are under /v1, e.g. GET /v1/pets; their documentation is at /docs."),
  );
  app.on("error", logUnanswered(log));
  app.on("rejected", (rejected: Rejected) => {
    metrics.requestRejected(rejected);
    log.info(rejected, "request refused");
  });
  return app;
}
