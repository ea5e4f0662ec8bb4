import type { IncomingMessage, ServerResponse } from "node:http";
import type Router from "@koa/router";
import Koa from "koa";
import type { State } from "./context.js";
import { compose } from "./middleware/compose.js";
import type { RequestObserver } from "./middleware/observe-requests.js";

/** The service as a Koa application. */
export class PetstoreApp extends Koa<State> {
  /** Once true, every answer asks its client to close the connection, so that the server can end. */
  stopping = false;

  constructor(
    readonly router: Router<State>,
    readonly observer: RequestObserver,
  ) {
    super();
  }

  /**
   * Koa's `callback`, less what Koa does for answers that it writes itself: here `respond` writes them all. Its promise
   * is kept once the answer is written, and never broken.
   */
  requestHandler(): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
    const handle = compose(this.middleware);
    return (req, res) => {
      const ctx = this.createContext<State>(req, res);
      return handle(ctx, async () => {}).catch((error: Error) => ctx.onerror(error));
    };
  }
}
