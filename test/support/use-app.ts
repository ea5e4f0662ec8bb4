import { type AppOptions, type StartedApp, startApp } from "./start-app.js";

/** Runs a suite over HTTP. `app` gives the service on memory, started anew and empty for each test. */
export function describeApp(title: string, suite: (app: () => StartedApp) => void): void {
  describe(title, () => {
    let started: StartedApp;
    beforeEach(async () => {
      started = await startApp();
    });
    afterEach(() => started.close());
    suite(() => started);
  });
}

/** The service on memory, started once for the enclosing suite. */
export function useApp(options?: AppOptions): () => StartedApp {
  let started: StartedApp;
  before(async () => {
    started = await startApp(options);
  });
  after(() => started.close());
  return () => started;
}
