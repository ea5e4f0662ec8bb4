import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import compose from "koa-compose";
import { answerError, INTERNAL_ERROR } from "./answer/answer-error.js";
import { FIXED_HEADERS } from "./answer/fixed-headers.js";
import { send } from "./answer/send.js";
import type { Context, Handler, State } from "./context.js";
import type { AppEvents } from "./events.js";

/** The listener for a server. Its promise resolves once the answer is made, and never rejects. */
export type Listener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * A Koa application with a listener of our own: Koa's watches over the end of each response by a package, which
 * takes longer (`docs/decisions/0007-answers.md`). Says what happens by events.
 */
export class KoaApp extends EventEmitter<AppEvents> {
  /** In the order in which a request meets it. */
  readonly middleware: Handler[] = [];
  /** Once true, every answer asks its client to close the connection, so that the server can end. */
  stopping = false;
  private readonly koa = new Koa<State>();

  /** @param allow the methods of the whole service, as `Allow` lists them */
  constructor(readonly allow: string) {
    super();
    this.koa.on("error", (error) => this.emit("error", error));
  }

  callback(): Listener {
    const handle = compose(this.middleware);
    return async (req, res) => {
      const ctx = this.koa.createContext<State>(req, res);
      res.statusCode = 404;
      try {
        await handle(ctx);
        await this.send(ctx);
      } catch (error) {
        await this.fail(ctx, error);
      }
    };
  }

  private send(ctx: Context): Promise<void> {
    // Node would drop the rest of a body unseen, so that `server/request.ts` could not count its pieces. To close at once
    // could lose the answer in a reset.
    if (!ctx.req.complete) ctx.req.resume();
    // This service ignores an Upgrade. Node's parser reports nothing malformed behind it, so nothing may follow.
    if (this.stopping || ctx.req.headers.upgrade !== undefined) ctx.set("Connection", "close");
    return send(ctx);
  }

  /** The last resort: a middleware in front of `answer-errors.ts` has failed, or the answer cannot be written. */
  private async fail(ctx: Context, error: unknown): Promise<void> {
    const { res } = ctx;
    try {
      if (res.headersSent) res.destroy();
      else {
        // One of the headers may be the fault.
        for (const name of res.getHeaderNames()) if (name !== "x-request-id") res.removeHeader(name);
        ctx.set(FIXED_HEADERS);
        answerError(ctx, INTERNAL_ERROR);
        await this.send(ctx);
      }
      this.emit("error", error);
    } catch {
      if (!res.writableEnded) res.destroy();
    }
  }
}
