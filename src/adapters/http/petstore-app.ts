import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import compose from "koa-compose";
import { answerError, describeError, INTERNAL_ERROR } from "./answer/answer-error.js";
import type { HttpError } from "./answer/error-codes.js";
import { writeAnswer } from "./answer/write-answer.js";
import type { Context, Handler, State } from "./context.js";
import type { RequestObserver } from "./middleware/observe-requests.js";

/** The listener for a server. Its promise resolves once the answer is made, and never rejects. */
type Serve = (
  req: IncomingMessage,
  res: ServerResponse,
  arrivedAt?: number,
  refusal?: HttpError,
) => Promise<void>;

/** The service as a Koa application. */
export class PetstoreApp extends Koa<State> {
  /** Once true, every answer asks its client to close the connection, so that the server can end. */
  stopping = false;
  private readonly ours: number;

  /**
   * @param middleware in the order in which a request meets them, the routes last
   * @param observer hears of what happens to requests and connections below the middleware, too
   * @param allowAt gives the value of `Allow` at a path
   */
  constructor(
    middleware: readonly Handler[],
    readonly observer: RequestObserver,
    readonly allowAt: (path: string) => string | undefined,
  ) {
    super();
    this.context.onerror = onerror as never;
    this.middleware = [...middleware] as never[];
    this.ours = middleware.length;
  }

  /** Adds a middleware behind the present ones and before the routes, so that every request meets it. */
  override use: Koa<State>["use"] = (handler) => {
    this.middleware.splice(-1, 0, handler as never);
    return this as never;
  };

  /**
   * Koa's own listener watches over the end of each response, which takes a fifth of a request; so it serves only if
   * there is other middleware than ours.
   */
  override callback(): Serve & ReturnType<Koa["callback"]> {
    const handle = compose(this.middleware);
    const serveAsKoa = super.callback();
    const serve: Serve = async (req, res, arrivedAt, refusal) => {
      if (this.middleware.length > this.ours && !refusal) {
        if (this.isLast(req)) res.setHeader("Connection", "close");
        return serveAsKoa(req, res);
      }
      const ctx: Context = this.createContext(req, res);
      ctx.state.arrivedAt = arrivedAt ?? performance.now();
      ctx.state.refusal = refusal;
      ctx.state.isOurs = true;
      res.statusCode = 404;
      try {
        await handle(ctx);
        writeAnswer(ctx, this.isLast(req));
      } catch (error) {
        ctx.onerror(error as Error);
      }
    };
    return serve as Serve & ReturnType<Koa["callback"]>;
  }

  /** Whether the answer to this request asks its client to close the connection. */
  isLast(req: IncomingMessage): boolean {
    // After a request for another protocol, which this service ignores, Node's parser reports no malformed request.
    return this.stopping || req.headers.upgrade !== undefined;
  }
}

/**
 * In place of Koa's, which answers errors as text: a middleware in front of ours has failed, or the answer cannot be
 * written. Koa calls it without an error, too, once a response has ended.
 */
function onerror(this: Context, error: unknown): void {
  if (error === null || error === undefined) return;
  const { res } = this;
  try {
    const described = describeError(error, this);
    this.state.isOurs = true;
    answerError(this, described);
    if (res.headersSent) res.destroy();
    else writeAnswer(this, (this.app as PetstoreApp).isLast(this.req));
    if (described === INTERNAL_ERROR) this.app.emit("error", error, this);
  } catch {
    if (!res.writableEnded) res.destroy();
  }
}
