import { connect, createServer, type Server, type Socket } from "node:net";
import { BSON } from "mongodb";
import { freePort } from "./free-port.js";

/** The faults that the proxy plays. They may change at any time, and then concern open connections as well. */
export interface Trouble {
  /** Reads everything and passes nothing on, like a firewall that drops packets. */
  readonly silent?: boolean;
  /** Resets every connection as soon as it sends something. */
  readonly reset?: boolean;
  /** How long to delay everything in each direction, in milliseconds. */
  readonly delay?: number;
  /** Passes this command on, and cuts the connection in place of the server's answer. */
  readonly cutBeforeAnswerTo?: string;
  /** The commands that the proxy answers itself, with the answers. */
  readonly answers?: Readonly<Record<string, object>>;
}

/** Stands between the driver and a MongoDB server, and plays faults. */
export class MongodbProxy {
  trouble: Trouble = {};
  /** How often the proxy has cut a connection before an answer. */
  cuts = 0;
  private readonly sockets = new Set<Socket>();
  /** What is delayed, and not yet passed on. */
  private readonly delayed = new Set<NodeJS.Timeout>();

  private constructor(
    private server: Server,
    readonly port: number,
    private readonly target: { host: string; port: number },
  ) {}

  /** @param url the URL of a single server; the proxy's own URL keeps all but its host */
  static async start(url: string): Promise<MongodbProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const own = await freePort();
    await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
    const proxy = new MongodbProxy(server, own, { host: hostname, port: Number(port || 27017) });
    server.on("connection", proxy.accept);
    return proxy;
  }

  /** The URL of the same database through the proxy. */
  urlOf(url: string): string {
    const { pathname, search } = new URL(url);
    return `mongodb://127.0.0.1:${this.port}${pathname}${search}${search ? "&" : "?"}directConnection=true`;
  }

  /** Ends the listener and every connection at once, as if the server's process died. */
  async kill(): Promise<void> {
    for (const socket of this.sockets) socket.resetAndDestroy();
    for (const timer of this.delayed) clearTimeout(timer);
    this.delayed.clear();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Listens again, on the same port. */
  async revive(): Promise<void> {
    this.server = createServer(this.accept);
    await new Promise<void>((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    if (this.server.listening) await this.kill();
  }

  private readonly accept = (client: Socket): void => {
    const upstream = connect(this.target);
    let cut = false;
    const destroy = () => {
      for (const socket of [client, upstream]) {
        socket.resetAndDestroy();
        this.sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.setNoDelay().on("error", destroy).on("close", destroy);
    }
    let rest = Buffer.alloc(0);
    client.on("data", (chunk) => {
      if (this.trouble.reset) return destroy();
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const command = commandOf(message);
        const answer = this.trouble.answers?.[command];
        if (answer) {
          client.write(replyTo(message, answer));
          continue;
        }
        if (this.trouble.cutBeforeAnswerTo === command) {
          this.trouble = {};
          cut = true;
        }
        this.pass(message, upstream);
      }
    });
    upstream.on("data", (chunk) => {
      if (!cut) return this.pass(chunk, client);
      this.cuts++;
      destroy();
    });
  };

  private pass(bytes: Buffer, to: Socket): void {
    if (this.trouble.silent) return;
    const { delay } = this.trouble;
    if (!delay) {
      to.write(bytes);
      return;
    }
    const timer = setTimeout(() => {
      this.delayed.delete(timer);
      to.write(bytes);
    }, delay);
    this.delayed.add(timer);
  }
}

/** The MongoDB wire protocol: a header of 16 bytes; in an OP_MSG 4 bytes of flags and the section's kind follow. */
const OP_MSG = 2013;
const BODY = 16 + 4 + 1;

/** The name of the command in an OP_MSG: the first key of its body, after the length and the first type. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== OP_MSG) return "";
  const start = BODY + 4 + 1;
  return message.toString("latin1", start, message.indexOf(0, start));
}

function replyTo(request: Buffer, answer: object): Buffer {
  const body = BSON.serialize(answer);
  const head = Buffer.alloc(BODY);
  head.writeInt32LE(BODY + body.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}
