import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./client.js";
import { expectDescribed } from "./described.js";
import { API_KEY } from "./start-app.js";

/** Returns the head of a request: its line, the headers that every request needs, and more lines. */
export function head(requestLine: string, ...lines: string[]): string {
  const all = [requestLine, "Host: petstore.test", `Authorization: Bearer ${API_KEY}`, ...lines];
  return `${all.join("\r\n")}\r\n\r\n`;
}

/** Opens a connection, which does not keep the tests from ending, and sends bytes. The caller must read. */
export async function openSocket(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true }).unref();
  // A reset is an end as well: only the bytes received before it count.
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

/** A connection that sends any bytes, well-formed or not, and reads the responses in order. */
export class RawConnection {
  private received = "";
  private ended = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding("latin1").on("data", (text: string) => (this.received += text));
    const end = () => (this.ended = true);
    socket.on("close", end).on("end", end);
  }

  static async open(port: number): Promise<RawConnection> {
    return new RawConnection(await openSocket(port, ""));
  }

  /** Sends a text, each of whose characters stands for one byte. */
  send(bytes: string): this {
    this.socket.write(bytes, "latin1");
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

  /** Resolves to the next response, which the API document must describe. */
  async answer(): Promise<Answer> {
    await this.until(() => this.received.includes("\r\n\r\n"));
    const [statusLine = "", ...lines] = this.take(this.received.indexOf("\r\n\r\n") + 4)
      .trimEnd()
      .split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const pairs = lines.map((line) => line.split(/: (.*)/, 2) as [string, string]);
    const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    if (Object.keys(headers).length < lines.length) throw new Error(`a header comes twice: ${lines}`);
    const length = status < 200 ? 0 : Number(headers["content-length"] ?? 0);
    await this.until(() => this.received.length >= length);
    const answer = { status, headers, text: Buffer.from(this.take(length), "latin1").toString() };
    if (status >= 200) expectDescribed("GET", undefined, answer);
    return answer;
  }

  /** Waits for the server to end the connection, and resolves to the unread bytes. */
  async rest(): Promise<string> {
    await this.until(() => this.ended);
    return this.take(this.received.length);
  }

  private take(length: number): string {
    const taken = this.received.slice(0, length);
    this.received = this.received.slice(length);
    return taken;
  }

  private async until(holds: () => boolean): Promise<void> {
    // Mocha's time limit ends a wait that is in vain.
    for (; !holds(); await sleep(2)) {
      if (this.ended) throw new Error(`the connection ended; received: ${this.received}`);
    }
  }
}
