import Koa from "koa";
import type { CreatePet } from "../../application/create-pet.js";
import type { GetPet } from "../../application/get-pet.js";
import type { ListPets } from "../../application/list-pets.js";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import { serveDocuments } from "./documents.js";
import { identify, validateHost, validateTarget } from "./headers.js";
import { answerErrors, logUnanswered } from "./middleware/answer-errors.js";
import { authenticate } from "./middleware/authenticate.js";
import { allowOrigins } from "./middleware/cors.js";
import { limitRate } from "./middleware/limit-rate.js";
import { expectOperations, observe } from "./middleware/observe.js";
import { type AppSettings, answerUnrouted, routeOperations, runOperation, type State } from "./operations.js";
import { getStoreOrders } from "./orders/list.js";
import { createPet } from "./pets/create.js";
import { getPet } from "./pets/get.js";
import { listPets } from "./pets/list.js";
import type { Rejected } from "./reject.js";

export interface PetUseCases {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
}

interface AppDependencies {
  readonly pets: PetUseCases;
  readonly keys: KeyVerifier;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: AppSettings;
}

/** Builds the application. A request passes the middleware from top to bottom. */
export function createApp({ pets, keys, log, metrics, settings }: AppDependencies): Koa {
  const operations = [
    listPets(pets.listPets, settings),
    createPet(pets.createPet),
    getPet(pets.getPet, settings),
    getStoreOrders,
  ];
  expectOperations(metrics, operations, keys);

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
  app.use(runOperation(settings.maxInFlight));
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
