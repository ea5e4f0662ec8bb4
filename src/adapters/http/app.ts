import compose from "koa-compose";
import type { Logger } from "pino";
import type { CreatePet } from "../../application/create-pet.js";
import type { GetPet } from "../../application/get-pet.js";
import type { ListPets } from "../../application/list-pets.js";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import { readBody } from "./body/request-body.js";
import type { Handler } from "./context.js";
import { authenticate } from "./middleware/authenticate.js";
import { limitLoad } from "./middleware/limit-load.js";
import { type ClientAddress, connectionAddress, observeRequests } from "./middleware/observe-requests.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { deprecationHeaders } from "./operations/deprecation.js";
import { documents } from "./operations/documents.js";
import { createPet, getPet, getStoreOrders, listPets, removedGetPet } from "./operations/operations.js";
import { ROUTES } from "./operations/route-table.js";
import { dispatch, Routes } from "./operations/router.js";
import { PetstoreApp } from "./petstore-app.js";

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
  readonly cors?: Handler | undefined;
  /** Limits the rate of each key, if an operator has turned that on. */
  readonly limitRate?: Handler | undefined;
  /** How many requests the handlers of the operations may serve at once. */
  readonly maxInFlight: number;
  readonly log: Logger;
  /** Finds the client behind trusted proxies, if an operator has named some. */
  readonly clientAddress?: ClientAddress | undefined;
}

/** The message for a path that leads nowhere. */
const HINT = "the operations are under /v1, for example GET /v1/pets, and their documentation is at /docs.";

/** Builds the application. A request goes through its middleware from top to bottom. */
export function createApp(dependencies: AppDependencies): PetstoreApp {
  const { publicUrl: origin = "", getPetServed, keyVerifier, cors, limitRate, log } = dependencies;
  const { clientAddress = connectionAddress, maxInFlight } = dependencies;
  const deprecation = deprecationHeaders(origin);
  const work = limitLoad(maxInFlight);
  const routes = new Routes([
    { ...ROUTES.listPets, handle: compose([work, listPets(dependencies.listPets, origin)]) },
    { ...ROUTES.createPet, handle: compose([readBody, work, createPet(dependencies.createPet)]) },
    {
      ...ROUTES.getPet,
      handle: compose([work, getPetServed ? getPet(dependencies.getPet) : removedGetPet]),
      headers: (prefix) => (prefix ? deprecationHeaders(origin + prefix) : deprecation),
    },
    { ...ROUTES.getStoreOrders, handle: compose([work, getStoreOrders]) },
    ...documents(),
  ]);
  const middleware = [
    observeRequests({ routes, clientAddress, log }),
    ...(cors ? [cors] : []),
    refuseMalformed,
    authenticate(keyVerifier),
    ...(limitRate ? [limitRate] : []),
    dispatch(routes, HINT),
  ];
  const app = new PetstoreApp(middleware, (path) => routes.allowAt(path));
  app.on("error", (err) => log.error({ err }, "answering failed"));
  return app;
}
