import { randomUUID } from "node:crypto";
import type { Handler } from "../context.js";
import { FIXED_HEADERS } from "../headers.js";

const FIXED = Object.entries(FIXED_HEADERS);

/** Gives each request its id and state, and each response the fixed headers. */
export const identify: Handler = (ctx, next) => {
  const sent = ctx.req.headers["x-request-id"];
  // The client's own id, if it is safe in a log.
  const requestId = typeof sent === "string" && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
  ctx.state = { requestId };
  for (const [name, value] of FIXED) ctx.res.setHeader(name, value);
  ctx.res.setHeader("X-Request-Id", requestId);
  return next();
};
