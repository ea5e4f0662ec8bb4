import Router from "@koa/router";
import Koa from "koa";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import { identify, validateHost, validateTarget } from "./headers.js";
import { HttpError } from "./http-error.js";
import { answerErrors, logUnanswered } from "./middleware/answer-errors.js";
import { answerUnrouted, type State } from "./operations.js";

interface AdminDependencies {
  readonly isReady: () => Promise<boolean>;
  readonly stopping: AbortSignal;
  readonly metrics: Pick<Metrics, "read">;
  readonly version: string;
  readonly isReadOnly: boolean;
  readonly log: Log;
}

/** Builds the application for probes and scrapers. Their requests are neither logged nor measured. */
export function createAdminApp({ isReady, stopping, metrics, version, isReadOnly, log }: AdminDependencies) {
  const router = new Router<State>({ sensitive: true, strict: true });
  router.get("/livez", (ctx) => {
    ctx.body = '{"alive":true}';
  });
  router.get("/readyz", async (ctx) => {
    if (stopping.aborted) throw STOPPING;
    if (!(await isReady())) throw UNAVAILABLE;
    ctx.body = JSON.stringify({ ready: true, ...(isReadOnly && { readOnly: true }) });
  });
  router.get("/version", (ctx) => {
    ctx.body = JSON.stringify({ version, node: process.version });
  });
  router.get("/metrics", async (ctx) => {
    const { type, text } = await metrics.read();
    ctx.set("Content-Type", type);
    ctx.body = text;
  });

  const app = new Koa<State>();
  app.use(identify);
  app.use(answerErrors(log));
  app.use(validateTarget);
  app.use(validateHost);
  app.use(router.routes());
  app.use(answerUnrouted("the admin port serves /livez, /readyz, /metrics and /version."));
  app.on("error", logUnanswered(log));
  return app;
}

const STOPPING = new HttpError("shutting_down", "The instance is stopping; send requests to another one.");
const UNAVAILABLE = new HttpError("storage_unavailable", "The storage cannot be used now; see the log.");
