import Router from "@koa/router";
import Koa from "koa";
import type { Logger } from "pino";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Metrics } from "../../application/ports/metrics.js";
import type { State } from "./context.js";
import { routeDocuments } from "./documents.js";
import { STATUS_OF_CODE } from "./http-error.js";
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

export interface AppDependencies {
  readonly pets: PetUseCases;
  readonly keys: KeyVerifier;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly settings: HttpSettings;
}

/** The settings that the middleware read. */
export interface HttpSettings {
  /** The origin of absolute links; without it links are relative. */
  readonly PETSTORE_PUBLIC_URL?: string | undefined;
  /** Origins whose scripts may read the responses in browsers. */
  readonly PETSTORE_CORS_ORIGINS?: readonly string[] | undefined;
  /** The addresses or subnets of the reverse proxies. */
  readonly PETSTORE_TRUST_PROXY?: readonly string[] | undefined;
  readonly PETSTORE_RATE_LIMIT?: { readonly requests: number; readonly seconds: number } | undefined;
  readonly PETSTORE_MAX_IN_FLIGHT: number;
  readonly PETSTORE_GET_PET: "served" | "removed";
  readonly PETSTORE_READ_ONLY: "true" | "false";
}

const HINT = "the operations are under /v1, for example GET /v1/pets, and their documentation is at /docs.";

/** Builds the application. A request passes the middleware from top to bottom. */
export function createApp({ pets, keys, log, metrics, settings }: AppDependencies): Koa {
  const publicUrl = settings.PETSTORE_PUBLIC_URL ?? "";
  const corsOrigins = settings.PETSTORE_CORS_ORIGINS;
  const rateLimit = settings.PETSTORE_RATE_LIMIT;
  const router = new Router<State>({ sensitive: true, strict: true });
  const operate = operations(settings.PETSTORE_MAX_IN_FLIGHT);
  routePets(router, operate, pets, publicUrl, settings.PETSTORE_GET_PET === "served");
  routeOrders(router, operate);
  const documents = new Router<State>({ sensitive: true, strict: true });
  routeDocuments(documents);

  const operation = (operation: string, methods: string[], isDeprecated = false) => ({
    operation,
    methods,
    isDeprecated,
  });
  metrics.expectRequests({
    operations: [
      operation("listPets", ["GET", "HEAD"]),
      operation("createPet", ["POST"]),
      operation("getPet", ["GET", "HEAD"], true),
      operation("getStoreOrders", ["GET", "HEAD"]),
    ],
    statuses: [200, 201, ...new Set(Object.values(STATUS_OF_CODE))],
    codes: Object.keys(STATUS_OF_CODE),
    keys: keys.names(),
  });
  const app = new Koa<State>();
  app.use(identify);
  app.use(
    record(
      log,
      metrics,
      clientAddress(settings.PETSTORE_TRUST_PROXY),
      settings.PETSTORE_READ_ONLY === "true",
    ),
  );
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
