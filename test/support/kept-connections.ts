import { Agent } from "node:http";
import type { Socket } from "node:net";

/** The connections that a test keeps open between its requests. They end with the test. */
export const keptConnections = new Agent({ keepAlive: true });

const sockets = new Set<Socket>();

/** Ends a connection with the test, if the test does not. */
export function endWithTest(socket: Socket): Socket {
  sockets.add(socket);
  return socket;
}

export function endConnections(): void {
  keptConnections.destroy();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
}
