import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Context } from "../context.js";

/** Sends what `ctx.status`, `ctx.body` and the headers say: a text, bytes or nothing; a stream, or a value as JSON. */
export async function send({ req, res, body, respond }: Context): Promise<void> {
  // Koa's way for a middleware that answers by `ctx.res` itself.
  if (respond === false) return;
  if (req.method === "HEAD" || body === undefined || body === null) res.end();
  else if (typeof body === "string" || Buffer.isBuffer(body)) res.end(body);
  else if (body instanceof Readable) await pipeline(body, res);
  else res.end(JSON.stringify(body));
}
