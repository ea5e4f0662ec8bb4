import type { IncomingMessage } from "node:http";

const ARRIVED_AT = Symbol("arrived at");

interface Arrived {
  [ARRIVED_AT]?: number;
}

/** Notes the moment at which the head of a request was read, so that its time in the queue counts. */
export function noteArrival(req: IncomingMessage & Arrived): void {
  req[ARRIVED_AT] = performance.now();
}

/** When the head was read, in milliseconds of `performance.now()`; the present if no server has noted it. */
export function arrivalOf(req: IncomingMessage & Arrived): number {
  return req[ARRIVED_AT] ?? performance.now();
}
