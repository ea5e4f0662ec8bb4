import { SECURITY_HEADERS } from "../answer/security-headers.js";
import type { Handler } from "../context.js";

const FIELDS = Object.entries(SECURITY_HEADERS);

/** Sets the security headers on every answer, except for those that an earlier middleware has set. */
export const setSecurityHeaders: Handler = ({ res }, next) => {
  for (const [name, value] of FIELDS) if (!res.hasHeader(name)) res.setHeader(name, value);
  return next();
};
