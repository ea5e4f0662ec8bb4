import type { Logger } from "pino";
import { original } from "./original.js";

// pino's own call for the line that `adapters/http/middleware/request-log.js` makes by hand.
const { RequestLog: Own } = await original("adapters/http/middleware/request-log.js");

interface Finished {
  readonly [field: string]: unknown;
  readonly status: number;
  readonly seconds: number;
}

export class RequestLog extends Own {
  constructor(
    private readonly log: Logger,
    destination: unknown,
  ) {
    super(log, destination);
  }

  requestFinished({ seconds, ...request }: Finished): void {
    const ms = Math.round(seconds * 1e6) / 1000;
    this.log[request.status < 500 ? "info" : "error"]({ ...request, ms }, "request");
  }
}
