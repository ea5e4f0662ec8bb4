import { Agent, request } from "node:http";
import type { Clock } from "../clock.js";
import type { Answer, Exchange } from "../history/exchange.js";

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** How long a client waits for an answer, in milliseconds: longer than any answer may take. */
const PATIENCE = 20_000;

/** Sends requests over connections that it keeps, one at a time on each. */
export class HttpClient {
  // The connection that has waited longest goes first, so that none is idle for long.
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 16, scheduling: "fifo" });
  /** The requests that have no answer yet. */
  private readonly underWay = new Set<Promise<Exchange>>();

  constructor(
    private readonly clock: Clock,
    private readonly port: number,
  ) {}

  /** Never rejects: without an answer the exchange has a failure. */
  send({ method, path, headers = {}, body }: Question, key: string | undefined): Promise<Exchange> {
    const begun = this.clock.now();
    const lost = this.clock.lostSoFar();
    const exchange = new Promise<Exchange>((resolve) => {
      const settle = (answer: Answer | undefined, failure?: string) => {
        if (done) return;
        done = true;
        clearTimeout(timer);
        const took = this.clock.now() - begun;
        resolve({
          method,
          path,
          headers,
          body,
          begun,
          took,
          lost: this.clock.lostSoFar() - lost,
          answer,
          failure,
        });
      };
      let done = false;
      const { agent, port } = this;
      const credentials = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const length = body === undefined ? {} : { "Content-Length": `${Buffer.byteLength(body)}` };
      const sent = request({
        agent,
        port,
        host: "127.0.0.1",
        method,
        path,
        headers: { ...credentials, ...length, ...headers },
      });
      const timer = setTimeout(() => {
        settle(undefined, `nothing within ${PATIENCE / 1000} s`);
        sent.destroy();
      }, PATIENCE);
      sent.on("error", (error: NodeJS.ErrnoException) => settle(undefined, error.code ?? error.message));
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error: NodeJS.ErrnoException) =>
          settle(undefined, error.code ?? error.message),
        );
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          settle({
            status: response.statusCode as number,
            headers: response.headers as Record<string, string>,
            text,
          });
        });
      });
      sent.end(body);
    });
    this.underWay.add(exchange);
    exchange.then(() => this.underWay.delete(exchange));
    return exchange;
  }

  /** Resolves once every request that was sent until now has its answer, or was given up. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  close(): void {
    this.agent.destroy();
  }
}
