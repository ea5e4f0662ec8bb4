import type { Context } from "../context.js";

/**
 * The one place where an answer goes to the wire: by one `writeHead` and one `end`. If other middleware than ours is in
 * the application, Koa does this.
 *
 * @param isLast whether the answer asks its client to close the connection
 */
export function writeAnswer({ req, res, state }: Context, isLast: boolean): void {
  // The answer to a preflight is in the status and the headers alone.
  const { status, headers, body } = state.answer ?? { status: res.statusCode, headers: [] as string[] };
  if (isLast && !headers.includes("Connection")) headers.push("Connection", "close");
  res.writeHead(status, headers);
  res.end(req.method === "HEAD" ? undefined : body);
}
