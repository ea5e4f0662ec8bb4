import { type AppOptions, type BuiltApp, buildApp, type StartedApp, startApp } from "./start-app.js";

/** Runs a suite on the service without a socket. `app` gives it on memory, made anew and empty for each test. */
export function describeApp(title: string, suite: (app: () => BuiltApp) => void): void {
  describe(title, () => {
    let built: BuiltApp;
    beforeEach(async () => {
      built = await buildApp();
    });
    afterEach(() => built.close());
    suite(() => built);
  });
}

/** The service on memory without a socket, made once for the enclosing suite. */
export function useApp(options?: AppOptions): () => BuiltApp {
  return useOnce(() => buildApp(options));
}

/** The service on memory behind a socket, started once for the enclosing suite. */
export function useServer(options?: AppOptions): () => StartedApp {
  return useOnce(() => startApp(options));
}

function useOnce<App extends BuiltApp>(make: () => Promise<App>): () => App {
  let app: App;
  before(async () => {
    app = await make();
  });
  after(() => app.close());
  return () => app;
}
