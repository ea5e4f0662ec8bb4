import { connect, createServer, type Server, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";
import { freePort } from "./free-port.js";

/** The faults that the proxy plays. They may change at any time, and then concern open connections as well. */
export interface Trouble {
  /** Reads everything and passes nothing on, like a firewall that drops packets. */
  readonly silent?: boolean;
  /** Delays everything in each direction, in milliseconds. */
  readonly delay?: number;
  /** Passes this command on once, e.g. `insert pets`, and cuts the connection in place of the response. */
  readonly cutBeforeAnswerTo?: string;
  /** Returns the proxy's own response to a command; undefined if the server responds. */
  readonly answer?: (command: Document, name: string) => object | undefined;
}

export class MongodbProxy {
  trouble: Trouble = {};
  /** The commands that went through, without the documents of inserts. */
  readonly commands: Document[] = [];
  private readonly sockets = new Set<Socket>();
  /** Sockets of connections that carried more than the driver's monitoring. */
  private readonly pooled = new Set<Socket>();
  private readonly forgotten = new WeakSet<Socket>();

  private constructor(
    private server: Server,
    readonly port: number,
    private readonly target: { host: string; port: number },
  ) {}

  /** @param url the URL of a single server */
  static async start(url: string): Promise<MongodbProxy> {
    const { hostname, port } = new URL(url);
    const target = { host: hostname, port: Number(port || 27017) };
    const proxy = new MongodbProxy(createServer(), await freePort(), target);
    await proxy.revive();
    return proxy;
  }

  urlOf(url: string): string {
    const { pathname, search } = new URL(url);
    return `mongodb://127.0.0.1:${this.port}${pathname}${search}${search ? "&" : "?"}directConnection=true`;
  }

  /** Ends the listener and every connection at once, as if the server's process died. */
  async kill(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Listens again, on the same port. */
  async revive(): Promise<void> {
    this.server = createServer(this.accept);
    await new Promise<void>((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
  }

  /** Drops everything on the driver's pooled connections, like a firewall that forgot them. Returns their number. */
  forget(): number {
    for (const socket of this.pooled) this.forgotten.add(socket);
    return this.pooled.size / 2;
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
        this.pooled.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.setNoDelay().on("error", destroy).on("close", destroy);
    }
    let rest = Buffer.alloc(0);
    client.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const command = commandOf(message);
        const [[name, target] = ["", ""]] = Object.entries(command);
        this.commands.push(command);
        if (!/^(hello|ismaster)$/i.test(name)) this.pooled.add(client).add(upstream);
        const answer = this.trouble.answer?.(command, name);
        if (this.trouble.cutBeforeAnswerTo === `${name} ${target}`) {
          this.trouble = {};
          cut = true;
        }
        if (answer) client.write(replyTo(message, answer));
        else this.pass(message, upstream);
      }
    });
    upstream.on("data", (chunk) => (cut ? destroy() : this.pass(chunk, client)));
  };

  private pass(bytes: Buffer, to: Socket): void {
    if (this.trouble.silent || this.forgotten.has(to)) return;
    if (this.trouble.delay) setTimeout(() => to.write(bytes), this.trouble.delay);
    else to.write(bytes);
  }
}

/** The MongoDB wire protocol: a header of 16 bytes; in an OP_MSG 4 bytes of flags and a section's kind follow, then its body. */
const OP_MSG = 2013;
const BODY = 16 + 4 + 1;

/** The body of an OP_MSG, or of the OP_QUERY that is the first hello of a connection. */
function commandOf(message: Buffer): Document {
  const start = message.readInt32LE(12) === OP_MSG ? BODY : message.indexOf(0, 20) + 9;
  return BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)), { useBigInt64: true });
}

function replyTo(request: Buffer, answer: object): Buffer {
  const body = BSON.serialize(answer);
  const head = Buffer.alloc(BODY);
  head.writeInt32LE(BODY + body.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}
