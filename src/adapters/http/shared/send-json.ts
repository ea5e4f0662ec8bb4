import type { Context } from "../context.js";
import { JSON_TYPE } from "../headers.js";

/** Responds with JSON text. */
export function sendJson(ctx: Context, json: string): void {
  if (!ctx.headerSent) ctx.res.setHeader("Content-Type", JSON_TYPE);
  ctx.body = json;
}
