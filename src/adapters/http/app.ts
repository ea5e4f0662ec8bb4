import type { Logger } from "pino";
import type { KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Handler, Route } from "./context.js";
import { documents } from "./documents.js";
import { KoaApp } from "./koa-app.js";
import { answerErrors } from "./middleware/answer-errors.js";
import { authenticate } from "./middleware/authenticate.js";
import { allowOrigins } from "./middleware/cors.js";
import { identify } from "./middleware/identify.js";
import { type ClientAddress, observe } from "./middleware/observe.js";
import { operate } from "./middleware/operate.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { allowedMethods, route } from "./middleware/route.js";

export interface AppDependencies {
  /** The operations of each resource. */
  readonly resources: readonly (readonly Route[])[];
  readonly keyVerifier: KeyVerifier;
  /** The origins whose scripts may read the answers in browsers, if an operator has named some. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Limits the rate of each key, if an operator has turned that on. */
  readonly limitRate?: Handler | undefined;
  /** How many requests the handlers of the operations may serve at once. */
  readonly maxInFlight: number;
  /** Finds the client behind trusted proxies, if an operator has named some. */
  readonly clientAddress?: ClientAddress | undefined;
  readonly log: Logger;
}

/** The message for a path that leads nowhere. */
const HINT = "the operations are under /v1, for example GET /v1/pets, and their documentation is at /docs.";

/** Builds the application. A request goes through its middleware from top to bottom. */
export function createApp(dependencies: AppDependencies): KoaApp {
  const { resources, keyVerifier, corsOrigins, limitRate, clientAddress, maxInFlight, log } = dependencies;
  const operations = resources.flat();
  const app = new KoaApp(allowedMethods(operations));
  app.middleware.push(
    identify,
    observe(app, clientAddress),
    answerErrors(log),
    // The router compares a request with each path of its list, so that the operations have a list of their own.
    route(operations),
    route(documents()),
    ...(corsOrigins ? [allowOrigins(corsOrigins, app.allow)] : []),
    refuseMalformed,
    authenticate(keyVerifier),
    ...(limitRate ? [limitRate] : []),
    operate(HINT, maxInFlight),
  );
  app.on("error", (err) => log.error({ err }, "answering failed"));
  return app;
}
