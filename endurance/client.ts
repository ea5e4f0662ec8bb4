import { Agent, request } from "node:http";

export interface Question {
  readonly method: "GET" | "POST" | "PROPFIND" | "OPTIONS" | "HEAD";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request and its outcome. Times are those of `performance.now()`. */
export interface Exchange {
  readonly question: Question;
  readonly begun: number;
  readonly ended: number;
  /** Undefined if the connection broke or the client gave up. */
  readonly answer: Answer | undefined;
  readonly failure: string | undefined;
}

/** How long a client waits for an answer, in milliseconds. */
const PATIENCE = 15_000;

/** Sends requests over kept connections, as a usual client does. */
export class Client {
  // A request that waited for a connection would get its answer late.
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly port: number,
    private readonly apiKey: string,
  ) {}

  /** The connections that are open now. */
  get connections(): number {
    const count = (sockets: NodeJS.ReadOnlyDict<unknown[]>) =>
      Object.values(sockets).reduce((sum, list) => sum + (list?.length ?? 0), 0);
    return count(this.agent.sockets) + count(this.agent.freeSockets);
  }

  /** Never rejects. A header in the question wins, that with the key too. */
  send(question: Question): Promise<Exchange> {
    const { method, path, headers, body } = question;
    const begun = performance.now();
    return new Promise((resolve) => {
      const end = (answer: Answer | undefined, failure?: string) => {
        clearTimeout(timer);
        resolve({ question, begun, ended: performance.now(), answer, failure });
      };
      const sent = request(
        {
          agent: this.agent,
          host: "127.0.0.1",
          port: this.port,
          method,
          path,
          headers: {
            Authorization: `Bearer ${this.apiKey}`,
            ...(body && { "Content-Length": Buffer.byteLength(body) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", (error) => end(undefined, error.message));
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            end({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
        },
      );
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${PATIENCE} ms`)), PATIENCE);
      sent.on("error", (error) => end(undefined, error.message));
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
