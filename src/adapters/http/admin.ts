import type { Logger } from "pino";
import { answer, JSON_TYPE } from "./answer/answer.js";
import { HttpError, type WireErrorCode } from "./answer/error-codes.js";
import type { Handler, Route } from "./context.js";
import { connectionAddress, observeRequests } from "./middleware/observe-requests.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { dispatch, Routes } from "./operations/router.js";
import { PetstoreApp } from "./petstore-app.js";

/** The reason why an instance is not ready. */
export type NotReady = "storage_unavailable" | "keys_unreadable" | "overloaded" | "shutting_down";

interface Build {
  readonly version: string;
  readonly node: string;
}

export interface AdminDependencies {
  /** Gives the reason why the instance is not ready; undefined if it is. */
  readonly findUnready: () => Promise<NotReady | undefined>;
  /** The metrics in one of Prometheus's formats, with its media type. */
  readonly readMetrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Whether the instance refuses creates by the operator's wish. */
  readonly readOnly: boolean;
  /** The versions of petstore and Node, of this process and of each worker. */
  readonly readBuilds: () => Build & { readonly workers: readonly Build[] };
  readonly log: Logger;
}

const UNREADY: Record<NotReady, readonly [WireErrorCode, string]> = {
  storage_unavailable: ["storage_unavailable", "The storage cannot be reached; see the log for its error."],
  keys_unreadable: [
    "storage_unavailable",
    "The keys file cannot be read, so that revoked keys still count; see the log for its error.",
  ],
  overloaded: ["overloaded", "No worker process answers in time; see the log for why."],
  shutting_down: ["shutting_down", "The instance is stopping; send requests to another one."],
};

const HINT = "the admin port has /livez, /readyz, /metrics and /version.";

/** The application of the admin port, for probes and scrapers. */
export function createAdminApp(dependencies: AdminDependencies): PetstoreApp {
  const { findUnready, readMetrics, readBuilds, readOnly, log } = dependencies;
  const routes = new Routes([
    page("/livez", (ctx) => answer(ctx, 200, JSON_TYPE, '{"alive":true}')),
    page("/readyz", async (ctx) => {
      const unready = await findUnready();
      if (unready) throw new HttpError(...UNREADY[unready]);
      answer(ctx, 200, JSON_TYPE, readOnly ? '{"ready":true,"readOnly":true}' : '{"ready":true}');
    }),
    page("/metrics", async (ctx) => {
      const { type, text } = await readMetrics();
      answer(ctx, 200, ["Content-Type", type], text);
    }),
    page("/version", (ctx) => {
      const { workers, ...own } = readBuilds();
      const differ = workers.some(({ version, node }) => version !== own.version || node !== own.node);
      answer(ctx, 200, JSON_TYPE, JSON.stringify(differ ? { ...own, workers } : own));
    }),
  ]);
  // Nobody listens to its events: probes come every few seconds, and say nothing about the service's clients.
  const observe = observeRequests({ routes, clientAddress: connectionAddress, log });
  const middleware = [observe, refuseMalformed, dispatch(routes, HINT)];
  const app = new PetstoreApp(middleware, (path) => routes.allowAt(path));
  app.on("error", (err) => log.error({ err }, "answering failed"));
  return app;
}

function page(path: string, handle: Handler): Route {
  return { method: "GET", path, handle };
}
