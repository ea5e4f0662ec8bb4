import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The documented way to do what `httpAllowHalfOpen` does (`node-internals.ts`): it hides the end of a client's side
 * from Node as long as answers are due. It costs a set for each connection and a listener for each request.
 */
export function holdEnds(server: Server, handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Answers>();
  server.on("connection", (socket) => connections.set(socket, new Answers(socket)));
  return (req, res) => {
    connections.get(req.socket)?.add(res);
    handle(req, res);
  };
}

/** The answers that are due on one connection. */
class Answers {
  private readonly due = new Set<ServerResponse>();
  private hasEnded = false;
  private readonly listeners: readonly (() => unknown)[];

  constructor(private readonly socket: Socket) {
    this.listeners = socket.rawListeners("end") as (() => unknown)[];
    socket.removeAllListeners("end").on("end", () => {
      this.hasEnded = true;
      this.pass();
    });
  }

  add(res: ServerResponse): void {
    this.due.add(res);
    res.once("close", () => {
      this.due.delete(res);
      if (this.hasEnded) this.pass();
    });
  }

  /** Tells Node of the end, unless an answer is due to a request that has arrived whole. */
  private pass(): void {
    const responses = [...this.due];
    if (responses.length > 0 && responses.every(({ req }) => req.complete)) return;
    this.hasEnded = false;
    for (const listener of this.listeners) listener.call(this.socket);
  }
}
