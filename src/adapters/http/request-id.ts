import { randomUUID } from "node:crypto";

/** The client's own id, if it is safe in a log: nothing checks it later. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : makeRequestId();
}

export function makeRequestId(): string {
  return randomUUID();
}
