import type { Logger } from "pino";
import type { CutReason, FinishedRequest } from "./events.js";
import type { PetstoreApp } from "./petstore-app.js";

/**
 * How long to add up events that may come in a flood, in milliseconds: a line for each would be more load.
 */
const INTERVAL = 1000;

/** Writes one line per request, and one a second for those that were too many: never a key, never a body, never a path, which may hold either. */
export class RequestLog {
  private readonly flood = new Map<CutReason | "overloaded", number>();

  constructor(private readonly log: Logger) {}

  /** Writes what the application reports from now on. */
  listenTo(app: PetstoreApp): void {
    app.on("requestFinished", (request) => {
      if (request.code === "overloaded") this.count(request.code);
      else this.requestFinished(request);
    });
    app.on("requestRefused", (request) => this.log.info(request, "request refused"));
    app.on("connectionCut", (reason) => this.count(reason));
  }

  private requestFinished(request: FinishedRequest): void {
    const { requestId, operation, method, status, code, key, client, bytes, seconds, aborted } = request;
    const level = status < 500 ? "info" : "error";
    // Milliseconds to three places: the clock is exact to a microsecond.
    const ms = Math.round(seconds * 1e6) / 1000;
    this.log[level](
      { requestId, operation, method, status, code, key, client, bytes, aborted: aborted || undefined, ms },
      "request",
    );
  }

  private count(event: CutReason | "overloaded"): void {
    if (this.flood.size === 0) setTimeout(() => this.logFlood(), INTERVAL).unref();
    this.flood.set(event, (this.flood.get(event) ?? 0) + 1);
  }

  private logFlood(): void {
    for (const [event, count] of this.flood) {
      if (event === "overloaded") this.log.warn({ requests: count, code: event }, "requests shed");
      else this.log.warn({ connections: count, reason: event }, "connections cut");
    }
    this.flood.clear();
  }
}
