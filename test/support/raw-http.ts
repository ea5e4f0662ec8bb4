import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Answer } from "./client.js";
import { expectDescribed } from "./described.js";
import { endWithTest } from "./kept-connections.js";
import { API_KEY } from "./start-app.js";

/** Makes the head of a request with the lines that every request needs, and with more header lines if given. */
export function head(requestLine: string, ...lines: string[]): string {
  const all = [requestLine, "Host: petstore.test", `Authorization: Bearer ${API_KEY}`, ...lines];
  return `${all.join("\r\n")}\r\n\r\n`;
}

/** Sends bytes over a new connection, and gives the first answer. */
export async function exchange(port: number, bytes: string | Buffer): Promise<Answer> {
  const connection = await RawConnection.open(port);
  try {
    return await connection.send(bytes).answer();
  } finally {
    connection.close();
  }
}

/** Opens a connection, which ends with the test, and sends bytes. Nobody reads what it receives yet. */
export async function openSocket(port: number, bytes: string, options = {}): Promise<Socket> {
  // A reset is an end as well: only the bytes received before it count.
  const socket = endWithTest(connect({ ...options, port, host: "127.0.0.1" })).on("error", () => {});
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

/** How long to wait for an answer or the end of a connection, in milliseconds. */
const PATIENCE = 30_000;

/** A connection that sends any bytes, well-formed or not, and reads the answers in the order they come. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private ended = false;
  private notify: () => void = () => {};

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.notify();
    });
    socket.on("close", () => this.end());
    socket.on("end", () => this.end());
  }

  static async open(port: number): Promise<RawConnection> {
    return new RawConnection(await openSocket(port, "", { noDelay: true, allowHalfOpen: true }));
  }

  /** Sends bytes. Each character of a string stands for one byte. */
  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** Ends the sending direction, and goes on reading. */
  finishSending(): this {
    this.socket.end();
    return this;
  }

  /** Whether the connection has ended in both directions. */
  get isGone(): boolean {
    return this.socket.destroyed;
  }

  /** Cuts the connection with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }

  /** The next answer, which the API document must describe. `head` says that it answers HEAD, without a body. */
  async answer({ head = false } = {}): Promise<Answer> {
    const headEnd = await this.until("an answer's head", () => {
      const index = this.received.indexOf("\r\n\r\n");
      return index < 0 ? undefined : index;
    });
    const [statusLine = "", ...lines] = this.take(headEnd + 4)
      .toString("latin1")
      .trimEnd()
      .split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(": ");
      const name = line.slice(0, colon).toLowerCase();
      if (colon < 0 || name in headers) throw new Error(`unexpected header line: ${line}`);
      headers[name] = line.slice(colon + 2);
    }
    const length = head || status < 200 ? 0 : Number(headers["content-length"] ?? 0);
    await this.until("an answer's body", () => (this.received.length >= length ? true : undefined));
    const answer = { status, headers, text: this.take(length).toString("utf8") };
    if (status >= 200) expectDescribed(head ? "HEAD" : "GET", undefined, answer);
    return answer;
  }

  /** Waits for the server to end the connection, and gives the bytes that nobody has read. */
  async rest(): Promise<string> {
    await this.until("the end of the connection", () => (this.ended ? true : undefined));
    return this.take(this.received.length).toString("latin1");
  }

  private take(length: number): Buffer {
    const taken = this.received.subarray(0, length);
    this.received = this.received.subarray(length);
    return taken;
  }

  private end(): void {
    this.ended = true;
    this.notify();
  }

  private until<Result>(what: string, look: () => Result | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        reject(new Error(`${why} while waiting for ${what}; received: ${this.received.toString("latin1")}`));
      };
      const timer = setTimeout(() => fail("time ran out"), PATIENCE);
      this.notify = () => {
        const result = look();
        if (result !== undefined) {
          clearTimeout(timer);
          resolve(result);
        } else if (this.ended) fail("the connection ended");
      };
      this.notify();
    });
  }
}
