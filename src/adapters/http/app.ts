import Router from "@koa/router";
import Koa from "koa";
import type { Logger } from "pino";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { State } from "./context.js";
import { routeDocuments } from "./documents.js";
import { answerErrors } from "./middleware/answer-errors.js";
import { answerUnrouted } from "./middleware/answer-unrouted.js";
import { authenticate } from "./middleware/authenticate.js";
import { clientAddress } from "./middleware/client-address.js";
import { allowOrigins } from "./middleware/cors.js";
import { identify } from "./middleware/identify.js";
import { limitRate } from "./middleware/limit-rate.js";
import { operations } from "./middleware/operate.js";
import { record } from "./middleware/record.js";
import { validate } from "./middleware/validate.js";
import { routeOrders } from "./orders/routes.js";
import { announceDeprecation } from "./pets/deprecation.js";
import { type PetUseCases, routePets } from "./pets/routes.js";
import type { RequestMetrics } from "./request-metrics.js";

export interface AppDependencies {
  readonly pets: PetUseCases;
  readonly keys: KeyVerifier;
  readonly log: Logger;
  readonly metrics: RequestMetrics;
  readonly options: AppOptions;
}

export interface AppOptions {
  /** The origin of absolute links; without it links are relative. */
  readonly publicUrl?: string | undefined;
  /** Origins whose scripts may read the responses in browsers. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** The addresses or subnets of the reverse proxies. */
  readonly trustProxy?: readonly string[] | undefined;
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | undefined;
  /** How many operations may be in flight. */
  readonly maxInFlight: number;
  readonly getPet: "served" | "removed";
}

const HINT = "the operations are under /v1, for example GET /v1/pets, and their documentation is at /docs.";

/** Builds the application. A request passes the middleware from top to bottom. */
export function createApp({ pets, keys, log, metrics, options }: AppDependencies): Koa {
  const { publicUrl = "", corsOrigins, trustProxy, rateLimit, maxInFlight, getPet } = options;
  const router = new Router<State>({ sensitive: true, strict: true });
  const operate = operations(maxInFlight);
  routePets(router, operate, pets, publicUrl, getPet === "served");
  routeOrders(router, operate);
  const documents = new Router<State>({ sensitive: true, strict: true });
  routeDocuments(documents);

  const app = new Koa<State>();
  app.use(identify);
  app.use(record(log, metrics, clientAddress(trustProxy)));
  app.use(answerErrors(log));
  app.use(announceDeprecation(publicUrl));
  if (corsOrigins) app.use(allowOrigins(corsOrigins));
  app.use(validate);
  app.use(authenticate(keys));
  if (rateLimit) app.use(limitRate(rateLimit));
  app.use(router.routes());
  app.use(documents.routes());
  app.use(answerUnrouted(HINT));
  app.on("error", (err, ctx) => {
    // A disconnected client is not an error.
    if (!ctx?.req.socket.destroyed) log.error({ err }, "answering failed");
  });
  return app;
}
