import { randomUUID } from "node:crypto";

/** The client's own id if it is safe in a log, since nothing checks it later; otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : makeRequestId();
}

export function makeRequestId(): string {
  return randomUUID();
}
