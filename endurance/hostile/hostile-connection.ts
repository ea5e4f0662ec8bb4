import { connect, type Socket } from "node:net";
import { expectDescribed } from "../../test/support/described.js";
import type { Answer } from "../history/exchange.js";

/** How long an answer may take, in milliseconds: as long as for any client, and some more. */
const PATIENCE = 8000;

/** A connection that sends any bytes, and reads nothing before somebody asks for an answer. */
export class HostileConnection {
  private received = Buffer.alloc(0);
  private ended = false;
  private notify: () => void = () => {};

  private constructor(private readonly socket: Socket) {
    socket.on("error", () => {});
    socket.on("close", () => this.end());
    socket.on("end", () => this.end());
  }

  static async open(port: number, closed: () => void): Promise<HostileConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.once("close", closed);
    return new HostileConnection(socket);
  }

  /** Each character of a string stands for one byte. */
  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  finishSending(): this {
    this.socket.end();
    return this;
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Whether the service has ended its side. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** The next answer; undefined if the connection has ended instead. `head` says that it answers a HEAD request. */
  async answer({ patience = PATIENCE, head = false } = {}): Promise<Answer | undefined> {
    if (this.socket.listenerCount("data") === 0) this.read();
    return this.until(patience, () => this.takeAnswer(head));
  }

  /** The next answer. The API document must describe it. */
  async describedAnswer(patience?: number): Promise<Answer | undefined> {
    const answer = await this.answer({ ...(patience && { patience }) });
    if (answer) expectDescribed("GET", undefined, answer);
    return answer;
  }

  private read(): void {
    this.socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.notify();
    });
  }

  private takeAnswer(head: boolean): Answer | undefined {
    const headEnd = this.received.indexOf("\r\n\r\n");
    if (headEnd < 0) return undefined;
    const [statusLine = "", ...lines] = this.received.toString("latin1", 0, headEnd).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 2),
      ]),
    );
    const end = headEnd + 4 + (head ? 0 : Number(headers["content-length"] ?? 0));
    if (this.received.length < end) return undefined;
    const text = this.received.toString("utf8", headEnd + 4, end);
    this.received = this.received.subarray(end);
    return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]), headers, text };
  }

  private end(): void {
    this.ended = true;
    this.notify();
  }

  private until<Result>(patience: number, look: () => Result | undefined): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${patience} ms`)), patience);
      this.notify = () => {
        const result = look();
        if (result === undefined && !this.ended) return;
        clearTimeout(timer);
        // Nobody waits from now on; the next bytes are for the next call.
        this.notify = () => {};
        resolve(result);
      };
      this.notify();
    });
  }
}
