import type { Server } from "node:http";
import type { PetstoreApp } from "./adapters/http/app.js";
import type { Stop } from "./adapters/http/server/stop-server.js";
import type { Metrics } from "./adapters/metrics/metrics.js";
import type { Readiness } from "./process/admin-server.js";

/** The program, built and not yet listening. */
export interface Petstore extends Readiness {
  readonly app: PetstoreApp;
  readonly server: Server;
  readonly adminServer: Server;
  readonly metrics: Metrics;
  readonly stop: Stop;
  /** Closes what the program holds open, in reverse order; to be called once nothing is served any more. */
  close(): Promise<void>;
}
