import type { IncomingMessage } from "node:http";

const ARRIVED_AT = Symbol("arrived at");

const REFUSED_AS = Symbol("refused as");

interface Arrived {
  [ARRIVED_AT]?: number;
  [REFUSED_AS]?: Refused;
}

/** The answer that a request got from below the application. */
interface Refused {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** Notes the moment at which the head of a request was read, so that its time in the queue counts. */
export function noteArrival(req: IncomingMessage & Arrived): void {
  req[ARRIVED_AT] = performance.now();
}

/** When the head was read, in milliseconds of `performance.now()`; the present if no server has noted it. */
export function arrivalOf(req: IncomingMessage & Arrived): number {
  return req[ARRIVED_AT] ?? performance.now();
}

/** Notes that a request which the application serves has got its answer already, since its body failed. */
export function noteRefusal(req: IncomingMessage & Arrived, refused: Refused): void {
  req[REFUSED_AS] = refused;
}

/** The answer from below the application; undefined if there was none. */
export function refusalOf(req: IncomingMessage & Arrived): Refused | undefined {
  return req[REFUSED_AS];
}
