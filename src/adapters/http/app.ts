import type { Logger } from "pino";
import type { CreatePet } from "../../application/create-pet.js";
import type { GetPet } from "../../application/get-pet.js";
import type { ListPets } from "../../application/list-pets.js";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Handler } from "./context.js";
import { authenticate } from "./middleware/authenticate.js";
import { catchErrors } from "./middleware/catch-errors.js";
import type { Cors } from "./middleware/cors.js";
import { announceDeprecation } from "./middleware/deprecation.js";
import {
  type ClientAddress,
  connectionAddress,
  observeRequests,
  type RequestObserver,
} from "./middleware/observe-requests.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { setSecurityHeaders } from "./middleware/set-security-headers.js";
import { type RequestTracer, traceRequests } from "./middleware/trace-requests.js";
import { documents } from "./operations/documents.js";
import { createPet, getPet, getStoreOrders, listPets, removedGetPet } from "./operations/operations.js";
import { ROUTES } from "./operations/route-table.js";
import { createRouter, dispatch } from "./operations/router.js";
import { PetstoreApp } from "./petstore-app.js";

export type { PetstoreApp };

export interface AppDependencies {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
  readonly keyVerifier: KeyVerifier;
  /** The origin of absolute links, without a slash at the end; if it is undefined, links are relative. */
  readonly publicUrl: string | undefined;
  /** Whether the service still serves getPet; if not, it answers 410. */
  readonly getPetServed: boolean;
  /** Answers scripts of other origins in browsers, if an operator has turned that on. */
  readonly cors?: Cors | undefined;
  /** Limits the rate of each key, if an operator has turned that on. */
  readonly limitRate?: Handler | undefined;
  readonly log: Logger;
  readonly observer: RequestObserver;
  /** Makes traces, if an operator has turned that on. */
  readonly tracer?: RequestTracer | undefined;
  /** Finds the client behind trusted proxies, if an operator has named some. */
  readonly clientAddress?: ClientAddress | undefined;
}

/** The message for a path that leads nowhere. */
const HINT = "the operations are under /v1, for example GET /v1/pets, and their documentation is at /docs.";

/** Builds the application. A request goes through it from top to bottom. */
export function createApp(dependencies: AppDependencies): PetstoreApp {
  const {
    publicUrl: origin = "",
    getPetServed,
    keyVerifier,
    clientAddress = connectionAddress,
    cors,
    limitRate,
    log,
    observer,
    tracer,
  } = dependencies;
  const router = createRouter(
    [
      { ...ROUTES.listPets, handler: listPets(dependencies.listPets, origin) },
      { ...ROUTES.createPet, handler: createPet(dependencies.createPet) },
      { ...ROUTES.getPet, handler: getPetServed ? getPet(dependencies.getPet) : removedGetPet },
      { ...ROUTES.getStoreOrders, handler: getStoreOrders },
    ],
    documents(),
  );
  const app = new PetstoreApp(router, dispatch(router, HINT), observer);
  app.on("error", (err) => log.error({ err }, "answering failed"));
  app.use(observeRequests(observer, clientAddress));
  if (tracer) app.use(traceRequests(tracer));
  app.use(setSecurityHeaders);
  app.use(catchErrors(log));
  if (cors) app.use(cors.handle);
  app.cors = cors;
  app.use(announceDeprecation(origin));
  app.use(refuseMalformed);
  app.use(authenticate(keyVerifier));
  if (limitRate) app.use(limitRate);
  return app;
}
