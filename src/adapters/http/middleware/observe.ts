import type { IncomingMessage } from "node:http";
import proxyAddress from "proxy-addr";
import type { KeyVerifier } from "../../../application/ports/key-verifier.js";
import type { Log } from "../../../application/ports/log.js";
import type { Metrics } from "../../../application/ports/metrics.js";
import { codeOfStatus, STATUS_OF_CODE } from "../http-error.js";
import { type AppSettings, type Handler, METHODS, type Operation } from "../operations.js";

const NO_OPERATION = "none";
const OTHER_METHOD = "other";

/** Logs and measures each request. Never logs a key, a body, or a path, which may contain either. */
export function observe(log: Log, metrics: Metrics, { trustProxy, readOnly }: AppSettings): Handler {
  const addressOf = clientAddress(trustProxy);
  return async ({ req, res, state }, next) => {
    const startedAt = performance.now();
    // Node forgets the address once the client disconnects.
    const client = addressOf(req);
    metrics.requestStarted();
    try {
      await next();
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      const method = METHODS.find((method) => method === req.method) ?? OTHER_METHOD;
      const status = res.statusCode;
      // Without an accepted key a request has reached no operation.
      const reached = state.key && !state.key.isExpired ? state.operation : undefined;
      const operation = reached?.id ?? NO_OPERATION;
      const isDeprecated = reached?.deprecation !== undefined;
      // Without a code, `reject.ts` has responded.
      const code = state.errorCode ?? (status < 400 ? undefined : codeOfStatus(status));
      const key = state.key?.name;
      metrics.requestFinished({ operation, method, status, code, key, isDeprecated, seconds });
      const bytes = Number(res.getHeader("Content-Length") ?? 0);
      // Rounded to microseconds.
      const ms = Math.round(seconds * 1e6) / 1000;
      const line = { requestId: state.requestId, operation, method, status, code, key, client, bytes, ms };
      // The operator of a read-only service expects rejected creates.
      const isFailure = status >= 500 && !(readOnly && code === "storage_unavailable" && method === "POST");
      if (isFailure) log.error(line, "request");
      else log.info(line, "request");
    }
  };
}

/** Starts every series that `observe` may report. */
export function expectOperations(metrics: Metrics, operations: readonly Operation[], keys: KeyVerifier) {
  const known = operations.map(({ id, method, deprecation }) => ({
    operation: id,
    methods: method === "get" ? ["GET", "HEAD"] : ["POST"],
    isDeprecated: deprecation !== undefined,
  }));
  const none = { operation: NO_OPERATION, methods: [...METHODS, OTHER_METHOD], isDeprecated: false };
  const statuses = [...new Set([200, 201, 204, 304, ...Object.values(STATUS_OF_CODE)])];
  const codes = Object.keys(STATUS_OF_CODE);
  metrics.expectRequests({ operations: [...known, none], statuses, codes, keys: () => keys.names() });
}

/**
 * Returns a function that finds the client's address: the last in `X-Forwarded-For` that is no trusted
 * proxy's, undefined on a Unix socket. It ignores `Forwarded`, which proxies may pass on unchecked.
 *
 * @throws TypeError if a proxy is not an address, a subnet or `loopback`
 */
function clientAddress(proxies: readonly string[] | undefined) {
  if (!proxies) return (req: IncomingMessage) => req.socket.remoteAddress;
  const isProxy = proxyAddress.compile([...proxies]);
  return (req: IncomingMessage) =>
    withoutPort(proxyAddress(req, (address, hop) => isProxy(withoutPort(address), hop))) || undefined;
}

/** Some proxies append the port: `203.0.113.9:51008`, `[2001:db8::1]:51008`. */
function withoutPort(address = ""): string {
  return address.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, "$1$2");
}
