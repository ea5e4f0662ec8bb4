import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The open connections, each with its unfinished responses, oldest first; a finished one stays until the next request. */
export type Responses = Map<Socket, readonly ServerResponse[]>;

/** Whether its request is complete and the response is not: it is in flight, or its client has not read it. */
export function isDue(response: ServerResponse): boolean {
  return !response.writableFinished && (response.req.complete || response.headersSent);
}
