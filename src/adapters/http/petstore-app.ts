import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import compose from "koa-compose";
import { answerError, describeError, INTERNAL_ERROR } from "./answer/answer-error.js";
import type { HttpError } from "./answer/error-codes.js";
import { writeAnswer } from "./answer/write-answer.js";
import type { Context, Handler, State } from "./context.js";
import type { RequestObserver } from "./middleware/observe-requests.js";

/** The listener for a server. Its promise resolves once the answer is made, and never rejects. */
export type Serve = (
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
    this.middleware = [...middleware] as never[];
    this.ours = middleware.length;
  }

  /** Adds a middleware behind the present ones and before the routes, so that every request meets it. */
  override use: Koa<State>["use"] = (handler) => {
    this.middleware.splice(-1, 0, handler as never);
    return this as never;
  };

  /** Koa's own would watch over the end of each response, which takes a fifth of a request, and answer errors as text. */
  override callback(): Serve & ReturnType<Koa["callback"]> {
    const handle = compose(this.middleware);
    return (req: unknown, res: unknown, arrivedAt?: number, refusal?: HttpError) => {
      const ctx: Context = this.createContext(req as IncomingMessage, res as ServerResponse);
      ctx.state.arrivedAt = arrivedAt ?? performance.now();
      ctx.state.refusal = refusal;
      ctx.state.isOurs = this.middleware.length === this.ours;
      return this.serve(ctx, handle);
    };
  }

  private async serve(ctx: Context, handle: Handler): Promise<void> {
    const { res } = ctx;
    res.statusCode = 404;
    try {
      await handle(ctx, noFurther);
      await writeAnswer(ctx, this.isLast(ctx));
    } catch (error) {
      // A middleware in front of ours has failed, or the answer cannot be written.
      try {
        const described = describeError(error, ctx);
        answerError(ctx, described);
        if (res.headersSent) res.destroy();
        else await writeAnswer(ctx, this.isLast(ctx));
        if (described === INTERNAL_ERROR) this.emit("error", error, ctx);
      } catch {
        if (!res.writableEnded) res.destroy();
      }
    }
  }

  private isLast({ req }: Context): boolean {
    // After a request for another protocol, which this service ignores, Node's parser reports no malformed request.
    return this.stopping || req.headers.upgrade !== undefined;
  }
}

async function noFurther(): Promise<void> {}
