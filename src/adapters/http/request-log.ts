import type { Logger } from "pino";
import type { FinishedRequest, RefusedRequest, RequestObserver } from "./observe-requests.js";

/** Writes one line per request: never a key, never a body, never a path, which may hold either. */
export class RequestLog implements RequestObserver {
  constructor(private readonly log: Logger) {}

  requestStarted(): void {}

  requestFinished(request: FinishedRequest): void {
    const { seconds, ...line } = request;
    // Milliseconds to three places, since a microsecond is all that the clock is good for.
    const ms = Math.round(seconds * 1e6) / 1000;
    if (line.status < 500) this.log.info({ ...line, ms }, "request");
    else this.log.error({ ...line, ms }, "request");
  }

  requestRefused(request: RefusedRequest): void {
    this.log.info(request, "request refused");
  }
}
