import { randomUUID } from "node:crypto";
import { FIXED_HEADERS } from "../answer/fixed-headers.js";
import type { Handler } from "../context.js";
import { AUTHORITY } from "./refuse-malformed.js";

/** What precedes the path of a target in absolute form. Its authority has a host. */
const ABSOLUTE = new RegExp(`^https?://(?![/?:])${AUTHORITY}(?=[/?]|$)/?`, "i");

const FIXED = Object.entries(FIXED_HEADERS);

/**
 * Gives each request its id and its state, and each answer the headers that all have. Turns an absolute target into its
 * path. Comes first.
 */
export const identify: Handler = (ctx, next) => {
  const { req, res } = ctx;
  const requestId = requestIdOf(req.headers["x-request-id"]);
  ctx.state = {
    requestId,
    arrivedAt: performance.now(),
    route: undefined,
    isRouted: false,
    key: undefined,
    errorCode: undefined,
  };
  req.url = originForm(req.url as string);
  for (const [name, value] of FIXED) res.setHeader(name, value);
  res.setHeader("X-Request-Id", requestId);
  return next();
};

/** The client's own id if it is safe in a log, since nothing checks it later; otherwise a new one. */
function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : randomUUID();
}

/**
 * The path and query of a request target, even of one in absolute form (RFC 9112, section 3.2). `route.ts` checks its
 * characters.
 */
function originForm(target: string): string {
  return target.replace(ABSOLUTE, "/");
}
