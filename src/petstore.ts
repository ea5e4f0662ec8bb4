import type { Server } from "node:http";
import type { Readiness } from "./adapters/http/admin.js";
import type { PetstoreApp } from "./adapters/http/app.js";
import type { Stop } from "./adapters/http/server/stop-server.js";
import type { Metrics } from "./adapters/metrics/metrics.js";

/** The program, built and not yet listening. */
export interface Petstore {
  readonly app: PetstoreApp;
  readonly server: Server;
  readonly adminServer: Server;
  readonly metrics: Metrics;
  readonly findReadiness: () => Promise<Readiness>;
  readonly stop: Stop;
  /** Closes what the program holds open, in reverse order; to be called once nothing is served any more. */
  close(): Promise<void>;
}
