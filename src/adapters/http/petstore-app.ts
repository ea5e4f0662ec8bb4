import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import compose from "koa-compose";
import { answerError, describeError, INTERNAL_ERROR } from "./answer/answer-error.js";
import { writeAnswer } from "./answer/write-answer.js";
import type { Context, Handler, State } from "./context.js";
import type { AppEvents } from "./events.js";

/** The listener for a server. Its promise resolves once the answer is made, and never rejects. */
type Serve = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export interface PetstoreApp {
  on<Event extends keyof AppEvents>(event: Event, listener: (...of: AppEvents[Event]) => void): this;
  emit<Event extends keyof AppEvents>(event: Event, ...of: AppEvents[Event]): boolean;
}

/** The service as a Koa application. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: only narrows the types of Koa's own methods
export class PetstoreApp extends Koa<State> {
  /** Once true, every answer asks its client to close the connection, so that the server can end. */
  stopping = false;
  private readonly ours: number;
  private readonly handle: ReturnType<typeof compose<Context>>;

  /**
   * @param middleware in the order in which a request meets them, the routes last
   * @param allowAt gives the value of `Allow` at a path
   */
  constructor(
    middleware: readonly Handler[],
    readonly allowAt: (path: string) => string | undefined,
  ) {
    super();
    this.context.onerror = onerror as never;
    this.middleware = [...middleware] as never[];
    this.ours = middleware.length;
    this.handle = compose(this.middleware);
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
    const serveAsKoa = super.callback();
    const serve: Serve = async (req, res) => {
      if (this.middleware.length === this.ours) return this.serve(req, res);
      if (this.isLast(req)) res.setHeader("Connection", "close");
      return serveAsKoa(req, res);
    };
    return serve as Serve & ReturnType<Koa["callback"]>;
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const ctx: Context = this.createContext(req, res);
    ctx.state.arrivedAt = performance.now();
    ctx.state.isOurs = true;
    res.statusCode = 404;
    try {
      await this.handle(ctx);
      writeAnswer(ctx, this.isLast(req));
    } catch (error) {
      ctx.onerror(error as Error);
    }
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
