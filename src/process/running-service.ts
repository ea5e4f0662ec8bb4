import type { Build, NotReady } from "../adapters/http/admin.js";

/** The service, in this process (`one-process.ts`) or in several (`workers.ts`). */
export interface RunningService {
  /** Rejects once the service cannot go on. */
  readonly failed: Promise<never>;
  /**
   * Listens, and gives the address of the API.
   *
   * @param fd a descriptor that listens already, in place of the address of the settings
   * @throws Error that says what to correct
   */
  listen(fd: number | undefined): Promise<string>;
  /** The reason why the service is not ready for requests; undefined if it is. */
  findUnready(): Promise<NotReady | undefined>;
  /** The metrics in one of Prometheus's formats, with its media type. */
  readMetrics(): Promise<{ readonly type: string; readonly text: string }>;
  /** What each worker process runs; empty if this process serves alone. */
  workerBuilds(): readonly Build[];
  /** Replaces the worker processes, each of which may take `patience` milliseconds for its requests in flight. */
  renew(patience: number): void;
  /**
   * Stops serving, and closes all that the service holds open. Resolves to false if it had to cut requests in flight
   * after `patience` milliseconds. A later call waits for the stop that has begun.
   *
   * @throws Error if the storage does not close
   */
  stop(patience: number): Promise<boolean>;
}
