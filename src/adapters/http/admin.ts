import Router from "@koa/router";
import Koa from "koa";
import type { Logger } from "pino";
import type { Metrics } from "../../application/ports/metrics.js";
import type { Context, State } from "./context.js";
import { JSON_TYPE } from "./headers.js";
import { HttpError } from "./http-error.js";
import { answerErrors } from "./middleware/answer-errors.js";
import { answerUnrouted } from "./middleware/answer-unrouted.js";
import { identify } from "./middleware/identify.js";
import { validate } from "./middleware/validate.js";

export interface AdminDependencies {
  /** Why the instance is not ready; undefined if it is. */
  readonly findUnready: () => Promise<keyof typeof UNREADY | undefined>;
  readonly metrics: Pick<Metrics, "read">;
  readonly build: { readonly version: string; readonly node: string };
  readonly isReadOnly: boolean;
  readonly log: Logger;
}

const UNREADY = {
  storage_unavailable: "The storage cannot be used now; see the log for its error.",
  shutting_down: "The instance is stopping; send requests to another one.",
};

/** The application of the admin port, for probes and scrapers. Their requests are neither logged nor measured. */
export function createAdminApp({ findUnready, metrics, build, isReadOnly, log }: AdminDependencies): Koa {
  const router = new Router<State>({ sensitive: true, strict: true });
  router.get("/livez", (ctx) => respond(ctx, { alive: true }));
  router.get("/readyz", async (ctx) => {
    const unready = await findUnready();
    if (unready) throw new HttpError(unready, UNREADY[unready]);
    respond(ctx, isReadOnly ? { ready: true, readOnly: true } : { ready: true });
  });
  router.get("/version", (ctx) => respond(ctx, build));
  router.get("/metrics", async (ctx) => {
    const { type, text } = await metrics.read();
    ctx.set("Content-Type", type);
    ctx.body = text;
  });

  const app = new Koa<State>();
  app.use(identify);
  app.use(answerErrors(log));
  app.use(validate);
  app.use(router.routes());
  app.use(answerUnrouted("the admin port has /livez, /readyz, /metrics and /version."));
  app.on("error", (err, ctx) => {
    if (!ctx?.req.socket.destroyed) log.error({ err }, "answering failed");
  });
  return app;
}

function respond(ctx: Context, value: object): void {
  ctx.set("Content-Type", JSON_TYPE);
  ctx.body = JSON.stringify(value);
}
