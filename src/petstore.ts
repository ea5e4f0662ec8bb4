import type { Server } from "node:http";
import type { PetstoreApp } from "./adapters/http/app.js";
import type { Metrics } from "./adapters/metrics/metrics.js";
import type { FindUnready } from "./process/admin-server.js";

/** The program, built and not yet listening. */
export interface Petstore {
  readonly app: PetstoreApp;
  readonly server: Server;
  readonly adminServer: Server;
  readonly metrics: Metrics;
  readonly findUnready: FindUnready;
  /** Stops serving; false if requests in flight had to be cut after `patience` milliseconds. */
  stop(patience: number): Promise<boolean>;
  /** Closes what the program holds open, in reverse order; to be called once nothing is served any more. */
  close(): Promise<void>;
}
