import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type Router from "@koa/router";
import Koa from "koa";
import compose from "koa-compose";
import { answerError, describeError, INTERNAL_ERROR } from "./answer/answer-error.js";
import { errorBody } from "./answer/error-codes.js";
import { SECURITY_HEADERS } from "./answer/security-headers.js";
import { writeAnswer } from "./answer/write-answer.js";
import type { Context, Handler, State } from "./context.js";
import type { Cors } from "./middleware/cors.js";
import type { RequestObserver } from "./middleware/observe-requests.js";

/** The service as a Koa application. */
export class PetstoreApp extends Koa<State> {
  /** Once true, every answer asks its client to close the connection, so that the server can end. */
  stopping = false;

  /** For answers that do not come through the middleware, if an operator has turned CORS on. */
  cors: Cors | undefined;

  constructor(
    readonly router: Router<State>,
    routes: Handler,
    readonly observer: RequestObserver,
  ) {
    super();
    this.middleware = [routes];
    // Koa's own method sends plain text.
    this.context.onerror = function (this: Context, error: Error) {
      answerFailure(this, error);
    };
  }

  /** Adds a middleware behind the present ones and before the routes, so that every request meets it. */
  override use: Koa<State>["use"] = (handler) => {
    this.middleware.splice(-1, 0, handler as never);
    return this as never;
  };

  /** The listener for a server. Its promise resolves once the answer is written, and never rejects. */
  override callback(): ReturnType<Koa["callback"]> {
    const handle = compose(this.middleware);
    return (req, res) =>
      this.serve(this.createContext(req as IncomingMessage, res as ServerResponse), handle);
  }

  private async serve(ctx: Context, handle: Handler): Promise<void> {
    ctx.res.statusCode = 404;
    try {
      await handle(ctx, noFurther);
      if (this.stopping && !ctx.res.headersSent) ctx.res.setHeader("Connection", "close");
      writeAnswer(ctx);
    } catch (error) {
      ctx.onerror(error as Error);
    }
  }
}

async function noFurther(): Promise<void> {}

/**
 * Answers an error that `catchErrors` did not catch, or threw, or that came while the answer was written.
 */
function answerFailure(ctx: Context, error: unknown): void {
  try {
    const described = describeError(error, ctx);
    if (described === INTERNAL_ERROR) ctx.app.emit("error", error, ctx);
    answerError(ctx, described);
    if (!ctx.res.headersSent) writeAnswer(ctx);
  } catch {
    lastResort(ctx);
  }
}

/** Answers if `answerFailure` failed, too: a log that throws must not cost the answer. Never throws. */
function lastResort({ app, req, res, state }: Context): void {
  state.errorCode = INTERNAL_ERROR.code;
  try {
    if (!res.headersSent) {
      // One of the headers may be the reason why the answer could not be written.
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      const body = errorBody(INTERNAL_ERROR.code, INTERNAL_ERROR.message);
      res.writeHead(500, STATUS_CODES[500], {
        ...SECURITY_HEADERS,
        ...(app as Partial<PetstoreApp>).cors?.headersFor(req.headers.origin),
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...(state.requestId && { "X-Request-Id": state.requestId }),
      });
      res.end(body);
      return;
    }
  } catch {
    // Nothing is left but to close.
  }
  req.socket.destroy();
}
