import { SECURITY_HEADERS } from "../answer/security-headers.js";
import type { Handler } from "../context.js";

const FIELDS = Object.entries(SECURITY_HEADERS);

/** Sets them on every answer, unless a middleware in front has set them in its own way. */
export const setSecurityHeaders: Handler = ({ res }, next) => {
  for (const [name, value] of FIELDS) if (!res.hasHeader(name)) res.setHeader(name, value);
  return next();
};
