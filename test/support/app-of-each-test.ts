import type { PetstoreApp } from "../../src/adapters/http/petstore-app.js";
import { type ServedKoa, servePetstore } from "./serve-koa.js";
import { type StartedApp, startApp } from "./start-app.js";

/** The application of the test that runs. */
export interface AppOfTest {
  readonly app: PetstoreApp;
  /** Adds to the application, e.g. a middleware, and serves it until the test ends. */
  serve(add: (app: PetstoreApp) => void): Promise<ServedKoa>;
}

/** Makes an application for each test of a suite. */
export function appOfEachTest(): AppOfTest {
  let started: StartedApp;
  const served: ServedKoa[] = [];
  beforeEach(async () => {
    started = await startApp();
  });
  afterEach(async () => {
    for (const one of served.splice(0)) await one.close();
    await started.close();
  });
  return {
    get app() {
      return started.app;
    },
    async serve(add) {
      add(started.app);
      const one = await servePetstore(started.app);
      served.push(one);
      return one;
    },
  };
}
