import type { IncomingMessage } from "node:http";
import type { Context, Handler } from "../context.js";
import type { FinishedRequest } from "../events.js";
import type { KoaApp } from "../koa-app.js";

/** Gives the address of the client; undefined if the client has gone. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/**
 * Reports the start and the end of each request as events of the application.
 *
 * @param clientAddress by default what is at the other end of the connection: the client, or a proxy in front
 */
export function observe(
  app: KoaApp,
  clientAddress: ClientAddress = (req) => req.socket.remoteAddress,
): Handler {
  const methods = app.allow.split(", ");
  return async (ctx, next) => {
    app.emit("requestStarted");
    // Once the client has gone, Node does not know its address.
    const client = clientAddress(ctx.req);
    try {
      await next();
    } finally {
      app.emit("requestFinished", finished(ctx, methods, client));
    }
  };
}

function finished(
  { state, req, res, response }: Context,
  methods: readonly string[],
  client: string | undefined,
): FinishedRequest {
  const { method = "", socket } = req;
  const { requestId, route, isRouted, errorCode, key, arrivedAt } = state;
  return {
    requestId,
    operation: (isRouted && route?.operationId) || "none",
    isDeprecated: isRouted && route?.deprecated !== undefined,
    method: methods.includes(method) ? method : "other",
    status: res.statusCode,
    code: errorCode,
    key: key?.name,
    client,
    seconds: (performance.now() - arrivedAt) / 1000,
    bytes: response.length ?? 0,
    aborted: socket.readableEnded || socket.destroyed,
  };
}
