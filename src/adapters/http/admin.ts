import type { Logger } from "pino";
import { answerJson } from "./answer/answer-json.js";
import { HttpError, type WireErrorCode } from "./answer/error-codes.js";
import type { Handler } from "./context.js";
import { catchErrors } from "./middleware/catch-errors.js";
import { connectionAddress, observeRequests, type RequestObserver } from "./middleware/observe-requests.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { setSecurityHeaders } from "./middleware/set-security-headers.js";
import { createRouter, dispatch } from "./operations/router.js";
import { PetstoreApp } from "./petstore-app.js";

/** The reason why an instance is not ready. */
export type NotReady = "storage_unavailable" | "keys_unreadable" | "overloaded" | "shutting_down";

export interface Readiness {
  /** The reason why the instance is not ready; undefined if it is. */
  readonly unready: NotReady | undefined;
  /** Whether the instance refuses creates by the operator's wish, and none is under way. */
  readonly readOnly: boolean;
}

export interface AdminDependencies {
  /** `readinessOf` of `process/admin-server.ts` finds it out, or `process/workers.ts` for several workers. */
  readonly findReadiness: () => Promise<Readiness>;
  /** The metrics in one of Prometheus's formats, with its media type. */
  readonly readMetrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly version: string;
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
  const { findReadiness, readMetrics, version, log } = dependencies;
  const pages = new Map<string, Handler>([
    ["/livez", (ctx) => answerJson(ctx, 200, '{"alive":true}')],
    [
      "/readyz",
      async (ctx) => {
        const { unready, readOnly } = await findReadiness();
        if (unready) throw new HttpError(...UNREADY[unready]);
        answerJson(ctx, 200, readOnly ? '{"ready":true,"readOnly":true}' : '{"ready":true}');
      },
    ],
    [
      "/metrics",
      async (ctx) => {
        const { type, text } = await readMetrics();
        ctx.set("Content-Type", type);
        ctx.body = text;
      },
    ],
    ["/version", (ctx) => answerJson(ctx, 200, JSON.stringify({ version, node: process.version }))],
  ]);
  const router = createRouter([], pages);
  const app = new PetstoreApp(router, dispatch(router, HINT), UNOBSERVED);
  app.on("error", (err) => log.error({ err }, "answering failed"));
  app.use(observeRequests(UNOBSERVED, connectionAddress));
  app.use(setSecurityHeaders);
  app.use(catchErrors(log));
  app.use(refuseMalformed);
  return app;
}

/** Leaves probes out of the log: they come every few seconds, and say nothing about the service's clients. */
const UNOBSERVED: RequestObserver = {
  requestStarted() {},
  requestFinished() {},
  requestRefused() {},
  requestShed() {},
  connectionCut() {},
};
