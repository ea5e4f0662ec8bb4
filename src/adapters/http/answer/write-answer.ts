import type { Answer, Context } from "../context.js";
import { answer } from "./answer.js";

/**
 * The one place where the answer to a request goes to the wire: by one `writeHead` and one `end`. If other middleware than
 * ours is in the application, Koa does this; `refuse.ts` answers what never becomes a request.
 *
 * @param isLast whether the answer asks its client to close the connection
 */
export function writeAnswer(ctx: Context, isLast: boolean): void {
  const { req, res, state } = ctx;
  // `@koa/cors` sets the answer to a preflight on the response alone.
  if (!state.answer) answer(ctx, res.statusCode, []);
  const { status, headers, body } = state.answer as Answer;
  if (isLast && !headers.includes("Connection")) headers.push("Connection", "close");
  res.writeHead(status, headers);
  res.end(req.method === "HEAD" ? undefined : body);
}
