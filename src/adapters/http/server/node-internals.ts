import type { ChildProcess } from "node:child_process";
import { createServer, type Server, ServerResponse } from "node:http";
import { Server as ListeningServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Each thing that this service expects of Node and that Node does not document: true if a probe found it so. If it is
 * false, the service takes the documented way.
 */
interface Internals {
  /** `QuickResponse` writes what Node's own response writes. If not, Node's own writes every answer, more slowly. */
  readonly oneString: boolean;
  /** `httpAllowHalfOpen` lets a client end its side and still get its answers. If not, `holdEnds` does. */
  readonly halfOpen: boolean;
  /**
   * Node reads a connection by listeners that can be removed. If not, `letGo` stops reading, and a client that goes on
   * sending may meet a reset in place of its answer.
   */
  readonly letGo: boolean;
  /**
   * The `close` of `net.Server` leaves idle connections alone. If not, a server that stops takes connections a second
   * longer, and then calls its own `close`.
   */
  readonly closeAlone: boolean;
}

/** The parts of Node that the probes look at. */
export interface Node {
  readonly createServer: typeof createServer;
  readonly closeListening: ListeningServer["close"];
}

const NODE: Node = { createServer, closeListening: ListeningServer.prototype.close };
const NONE: Internals = { oneString: false, halfOpen: false, letGo: false, closeAlone: false };

let internals: Internals | undefined;

/**
 * Finds out once per process whether Node is as expected, without a socket. The probe takes 6 ms of a start, and makes
 * the first request 3 ms quicker, since Node's code for requests has then run once.
 */
export function probeOnce(quick: typeof ServerResponse): Internals {
  if (internals) return internals;
  internals = probeNode(quick);
  const other = Object.entries(internals).flatMap(([name, found]) => (found ? [] : [name]));
  if (other.length > 0) {
    process.emitWarning(
      `Node ${process.version} differs from the versions that petstore was tested with (${other.join(", ")}); petstore goes on by slower ways.`,
    );
  }
  return internals;
}

/** For tests: takes every fallback, whatever Node is like. */
export function forceFallbacks(): void {
  internals = NONE;
}

export function probeNode(quick: typeof ServerResponse, node: Node = NODE): Internals {
  return {
    oneString: holds(() => answersAlike(quick, node)),
    halfOpen: holds(() => staysHalfOpen(node)),
    letGo: holds(() => canBeLetGo(node)),
    closeAlone: holds(() => closesAlone(node)),
  };
}

function holds(probe: () => boolean): boolean {
  try {
    return probe();
  } catch {
    return false;
  }
}

/** Node keeps the head that it has made in `_header` until the first byte of the body or the end sends it. */
export function appendToHead(res: ServerResponse, lines: string, body = ""): void {
  const made = res as unknown as { _header: string };
  if (body) made._header += body;
  else made._header = `${made._header.slice(0, -2)}${lines}\r\n`;
}

/** Whether the class sends the same as Node's own class, apart from the order of the headers. */
function answersAlike(quick: typeof ServerResponse, node: Node): boolean {
  const [own, ours] = [ServerResponse, quick].map((response) => {
    const server = node.createServer({ ServerResponse: response }, (req, res) => {
      res.sendDate = false;
      res.setHeader("X-Own", ["a", "b"]);
      if (req.method === "HEAD") res.writeHead(201, { "Content-Length": 4 });
      res.end("Zoë");
    });
    return ["GET / HTTP/1.1\r\n", "HEAD / HTTP/1.1\r\nConnection: close\r\n"].map((request) =>
      sorted(Wire.to(server).send(`${request}Host: a\r\n\r\n`).sent),
    );
  }) as [string[], string[]];
  return own.every((answer, index) => answer.includes("HTTP/1.1 20") && answer === ours[index]);
}

function sorted(answer: string): string {
  const [head = "", ...body] = answer.split("\r\n\r\n");
  return [...head.split("\r\n").sort(), "", ...body].join("\n");
}

/** Lets a client end its side after its requests, and still get their answers. */
export function keepHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

function staysHalfOpen(node: Node): boolean {
  let asked: ServerResponse | undefined;
  const server = node.createServer({}, (_, res) => {
    asked = res;
  });
  keepHalfOpen(server);
  const wire = Wire.to(server).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  wire.emit("end");
  asked?.end("answer");
  return !wire.writableEnded && wire.sent.endsWith("answer");
}

const gone = new WeakSet<Duplex>();

/**
 * Makes Node read no more requests from a socket. Bytes that still arrive are read, and go nowhere: a close with unread
 * bytes would reset the connection, and the client would lose the answer.
 */
export function letGo(socket: Duplex): void {
  gone.add(socket);
  if (internals?.letGo) {
    socket.removeAllListeners("end").removeAllListeners("data");
    socket.on("data", () => {});
  } else socket.pause();
}

/** Whether `letGo` has let go of the socket. */
export function isLetGo(socket: Socket): boolean {
  return gone.has(socket);
}

function canBeLetGo(node: Node): boolean {
  let asked = false;
  const server = node.createServer({}, () => {
    asked = true;
  });
  const wire = Wire.to(server).send("GET / HTTP/1.1\r\n");
  wire.removeAllListeners("end").removeAllListeners("data").send("Host: a\r\n\r\n").emit("end");
  return !asked && !wire.writableEnded;
}

/** Whether `closeListening` keeps idle connections. */
export function keepsIdle(): boolean {
  return internals?.closeAlone ?? false;
}

/** Takes no further connection. If `keepsIdle`, it keeps idle connections, which `server.close()` would cut at once. */
export function closeListening(server: Server, done: () => void): void {
  if (internals?.closeAlone) NODE.closeListening.call(server, done);
  else server.close(done);
}

function closesAlone(node: Node): boolean {
  const server = node.createServer();
  let cut = false;
  server.closeIdleConnections = () => {
    cut = true;
  };
  node.closeListening.call(server, () => {});
  return !cut;
}

/**
 * Lets V8 collect the garbage of the start before the first request. If V8 does so amid the first thousands, each request
 * takes about a tenth longer (docs/decisions/0032). Node documents `--expose-gc` only as an option of its command line: if
 * a later Node ignores it here, this does nothing.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("globalThis.gc?.()");
}

/** How long the primary waits before it hands out a connection again that a worker could not take, in milliseconds. */
const HAND_OUT_AGAIN = 100;

/** An order of Node's cluster to take the connection that comes with the order. */
interface TakeConnection {
  readonly cmd?: string;
  readonly msg?: { readonly act?: string; readonly seq?: number };
}

/**
 * If a connection does not arrive because this worker has no descriptor left, gives it back to the primary.
 * By itself Node's worker forgets to answer, and the primary never hands it another connection. If a later
 * Node gives other orders, this does nothing.
 */
export function giveBackLostConnections(): void {
  process.on("internalMessage", ({ cmd, msg }: TakeConnection, connection: unknown) => {
    if (cmd !== "NODE_HANDLE" || msg?.act !== "newconn" || connection) return;
    setTimeout(() => process.send?.({ cmd: "NODE_CLUSTER", ack: msg.seq, accepted: false }), HAND_OUT_AGAIN);
  });
}

/** A message between Node's primary and a worker. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * If a worker dies with a connection that it has been handed and has not taken, hands the connection to another worker,
 * or closes it if there is none. By itself Node's primary waits for an acknowledgement that never comes, and keeps the
 * connection. If a later Node sends other messages, this does nothing.
 *
 * @param worker the process, as the primary sees it
 */
export function handOnUntaken(worker: ChildProcess, areThereOthers: () => boolean): void {
  const untaken = new Set<number | undefined>();
  const send = worker.send as (...message: unknown[]) => boolean;
  worker.send = (message: ClusterMessage, ...rest: unknown[]) => {
    if (message.act === "newconn") untaken.add(message.seq);
    return send.call(worker, message, ...rest);
  };
  worker.on("internalMessage", ({ ack }: ClusterMessage) => untaken.delete(ack));
  // By then Node hands this worker nothing more.
  worker.once("close", () => {
    for (const ack of untaken) {
      worker.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: !areThereOthers() });
    }
  });
}

/** The other end of a connection that has no socket. */
class Wire extends Duplex {
  sent = "";

  /** Connects to a server in the way that Node documents at its event `connection`. */
  static to(server: Server): Wire {
    const wire = new Wire();
    server.emit("connection", wire);
    return wire;
  }

  send(bytes: string): this {
    this.emit("data", Buffer.from(bytes));
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.sent += chunk.toString("latin1");
    done();
  }
}
