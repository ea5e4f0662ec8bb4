import type { Logger } from "pino";
import type { FinishedRequest, RefusedRequest, RequestObserver } from "./observe-requests.js";

/** How long requests that were shed are added up for one line, in milliseconds: a line for each would be more load. */
const SHED_INTERVAL = 1000;

/** Writes one line per request: never a key, never a body, never a path, which may hold either. */
export class RequestLog implements RequestObserver {
  private shed = 0;

  constructor(private readonly log: Logger) {}

  requestStarted(): void {}

  requestFinished(request: FinishedRequest): void {
    const level = request.status < 500 ? "info" : "error";
    if (!this.log.isLevelEnabled(level)) return;
    const { requestId, operation, method, status, code, key, traceId, client, bytes, seconds } = request;
    // Milliseconds to three places, since a microsecond is all that the clock is good for.
    const ms = Math.round(seconds * 1e6) / 1000;
    this.log[level](
      { requestId, operation, method, status, code, key, traceId, client, bytes, ms },
      "request",
    );
  }

  requestShed(): void {
    if (this.shed++ === 0) setTimeout(() => this.logShed(), SHED_INTERVAL).unref();
  }

  private logShed(): void {
    this.log.warn({ requests: this.shed, code: "overloaded" }, "requests shed");
    this.shed = 0;
  }

  requestRefused(request: RefusedRequest): void {
    this.log.info(request, "request refused");
  }
}
