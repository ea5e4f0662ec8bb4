import type { Logger } from "pino";
import type { Metrics } from "../../../application/ports/metrics.js";
import type { Handler } from "../context.js";
import { METHODS } from "../headers.js";
import type { ClientAddress } from "./client-address.js";

/** Logs and measures each request. Never logs a key, a body, or a path, which may contain either. */
export function record(
  log: Logger,
  metrics: Metrics,
  clientAddress: ClientAddress,
  isReadOnly: boolean,
): Handler {
  return async ({ req, res, state }, next) => {
    const startedAt = performance.now();
    // Node forgets the address once the client disconnects.
    const client = clientAddress(req);
    metrics.requestStarted();
    try {
      await next();
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      const { requestId, isDeprecated, operation = "none", errorCode: code } = state;
      const method = METHODS.find((known) => known === req.method) ?? "other";
      const status = res.statusCode;
      const key = state.key?.name;
      metrics.requestFinished({ operation, method, status, code, key, isDeprecated, seconds });
      const bytes = Number(res.getHeader("Content-Length") ?? 0);
      // To the microsecond.
      const ms = Math.round(seconds * 1e6) / 1000;
      const line = { requestId, operation, method, status, code, key, client, bytes, ms };
      // A rejected create is what the operator of a read-only service asked for.
      const isFailure = status >= 500 && !(isReadOnly && code === "storage_unavailable" && method === "POST");
      if (isFailure) log.error(line, "request");
      else log.info(line, "request");
    }
  };
}
