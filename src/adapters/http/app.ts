import Koa from "koa";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import type { State } from "./context.js";
import { serveDocuments } from "./documents.js";
import type { HttpSettings } from "./http-settings.js";
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

interface AppDependencies {
  readonly pets: PetUseCases;
  readonly keys: KeyVerifier;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: HttpSettings;
}

/** Builds the application. A request passes the middleware from top to bottom. */
export function createApp({ pets, keys, log, metrics, settings }: AppDependencies): Koa {
  const operations = [...petOperations(pets, settings), ...orderOperations()];
  expectOperations(metrics, operations, () => keys.names());

  const app = new Koa<State>();
  app.use(identify);
  app.use(observe(log, metrics, settings));
  app.use(answerErrors(log));
  if (settings.PETSTORE_CORS_ORIGINS) app.use(allowOrigins(settings.PETSTORE_CORS_ORIGINS));
  app.use(validateTarget);
  app.use(routeOperations(operations).routes());
  app.use(validateHost);
  app.use(authenticate(keys));
  if (settings.PETSTORE_RATE_LIMIT) app.use(limitRate(settings.PETSTORE_RATE_LIMIT));
  app.use(perform(settings.PETSTORE_MAX_IN_FLIGHT));
  app.use(serveDocuments().routes());
  app.use(
    answerUnrouted("the operations are under /v1, e.g. GET /v1/pets; their documentation is at /docs."),
  );
  app.on("error", logUnanswered(log));
  return app;
}
