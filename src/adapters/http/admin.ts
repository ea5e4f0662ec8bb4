import type { Logger } from "pino";
import { ErrorAnswer, type WireErrorCode } from "./answer/error-codes.js";
import { JSON_TYPE } from "./answer/fixed-headers.js";
import type { Context, Handler, Route } from "./context.js";
import { KoaApp } from "./koa-app.js";
import { answerErrors } from "./middleware/answer-errors.js";
import { identify } from "./middleware/identify.js";
import { operate } from "./middleware/operate.js";
import { refuseMalformed } from "./middleware/refuse-malformed.js";
import { allowedMethods, route } from "./middleware/route.js";

/** The reason why an instance is not ready. */
export type NotReady = "storage_unavailable" | "shutting_down";

interface AdminDependencies {
  /** Gives the reason why the instance is not ready; undefined if it is. */
  readonly findUnready: () => Promise<NotReady | undefined>;
  /** The metrics in one of Prometheus's formats, with its media type. */
  readonly readMetrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Whether the instance refuses creates by the operator's wish. */
  readonly readOnly: boolean;
  /** The versions of this package and of Node, e.g. `v24.11.0`. */
  readonly build: { readonly version: string; readonly node: string };
  readonly log: Logger;
}

const UNREADY: Record<NotReady, readonly [WireErrorCode, string]> = {
  storage_unavailable: ["storage_unavailable", "The storage cannot be used now; see the log for its error."],
  shutting_down: ["shutting_down", "The instance is stopping; send requests to another one."],
};

const HINT = "the admin port has /livez, /readyz, /metrics and /version.";

/** The application of the admin port, for probes and scrapers. */
export function createAdminApp(dependencies: AdminDependencies): KoaApp {
  const { findUnready, readMetrics, build, readOnly, log } = dependencies;
  const routes = [
    page("/livez", (ctx) => json(ctx, { alive: true })),
    page("/readyz", async (ctx) => {
      const unready = await findUnready();
      if (unready) throw new ErrorAnswer(...UNREADY[unready]);
      json(ctx, readOnly ? { ready: true, readOnly } : { ready: true });
    }),
    page("/metrics", async (ctx) => {
      const { type, text } = await readMetrics();
      ctx.set("Content-Type", type);
      ctx.body = text;
    }),
    page("/version", (ctx) => json(ctx, build)),
  ];
  const app = new KoaApp(allowedMethods(routes));
  // Nothing reports to log or metrics: probes come every few seconds, and say nothing about the service's clients.
  app.middleware.push(
    identify,
    answerErrors(log),
    route(routes),
    refuseMalformed,
    operate(HINT, Number.POSITIVE_INFINITY),
  );
  app.on("error", (err) => log.error({ err }, "answering failed"));
  return app;
}

function json(ctx: Context, value: object): void {
  ctx.set(JSON_TYPE);
  ctx.body = JSON.stringify(value);
}

function page(path: string, handle: Handler): Route {
  return { method: "get", path, handle };
}
