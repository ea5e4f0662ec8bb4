import type { Logger } from "pino";
import type { CutReason, FinishedRequest } from "./events.js";
import type { KoaApp } from "./koa-app.js";

/**
 * How long to add up events that may come in a flood, in milliseconds: a line for each would be more load.
 */
const INTERVAL = 1000;

/**
 * Writes what an application reports from now on: one line per request, and one a second for those that were too many.
 * Never a key, never a body, never a path, which may hold either.
 */
export function logRequests(app: KoaApp, log: Logger): void {
  const flood = new Map<CutReason | "overloaded", number>();

  function count(event: CutReason | "overloaded"): void {
    if (flood.size === 0) setTimeout(logFlood, INTERVAL).unref();
    flood.set(event, (flood.get(event) ?? 0) + 1);
  }

  function logFlood(): void {
    for (const [event, count] of flood) {
      if (event === "overloaded") log.warn({ requests: count, code: event }, "requests shed");
      else log.warn({ connections: count, reason: event }, "connections cut");
    }
    flood.clear();
  }

  app.on("requestFinished", (request) => {
    if (request.code === "overloaded") count(request.code);
    else logRequest(log, request);
  });
  app.on("requestRefused", (request) => log.info(request, "request refused"));
  app.on("connectionCut", count);
}

function logRequest(log: Logger, request: FinishedRequest): void {
  const { requestId, operation, method, status, code, key, client, bytes, seconds, aborted } = request;
  const level = status < 500 ? "info" : "error";
  // Milliseconds to three places: the clock is exact to a microsecond.
  const ms = Math.round(seconds * 1e6) / 1000;
  log[level](
    { requestId, operation, method, status, code, key, client, bytes, aborted: aborted || undefined, ms },
    "request",
  );
}
