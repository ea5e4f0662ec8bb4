import { connect, type Socket } from "node:net";
import type { Operation, Request } from "./operations.js";

// A load generator on bare sockets. It takes less processor time per request than autocannon, so that the
// server is the limit. Each connection sends its next request once the last answer is whole.

interface Load {
  readonly port: number;
  readonly connections: number;
  /** Milliseconds. */
  readonly duration: number;
  /** The most requests to send; if undefined, as many as the duration allows. */
  readonly requests?: number;
}

interface Measured {
  readonly requests: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** How long each answer took, in milliseconds, ascending. */
  readonly latencies: Float64Array;
}

/** @throws Error if a connection fails, or an answer's status is not the operation's. */
export async function measure({ requests, status }: Operation, load: Load): Promise<Measured> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const wire = requests.map(wireOf);
  const expected = `HTTP/1.1 ${status} `;
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + load.duration;
  const most = load.requests ?? Infinity;
  let turn = 0;

  function drive(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0;
      let received = "";
      let missing = 0;
      function send(): void {
        sentAt = performance.now();
        socket.write(wire[turn++ % wire.length] as Buffer);
      }
      socket.on("data", (chunk) => {
        if (missing > 0) missing -= chunk.length;
        else {
          received += chunk.toString("latin1");
          const length = answerLength(received);
          if (length === undefined) return;
          if (!received.startsWith(expected)) return reject(new Error(`Instead of ${status}: ${received}`));
          missing = length - received.length;
          received = "";
        }
        if (missing > 0) return;
        const now = performance.now();
        latencies.push(now - sentAt);
        if (now < end && turn < most) send();
        else resolve();
      });
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("The server closed a connection.")));
      send();
    });
  }

  await Promise.all(sockets.map(drive));
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.removeAllListeners("close").destroy();
  return { requests: latencies.length, seconds, latencies: Float64Array.from(latencies).sort() };
}

export function wireOf({ method, path, headers, body = "" }: Request): Buffer {
  const length = body && { "Content-Length": Buffer.byteLength(body) };
  const fields = Object.entries({ Host: "127.0.0.1", ...headers, ...length });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
}

/** The length in bytes of the answer that has begun to arrive; undefined while nobody can know it. */
function answerLength(received: string): number | undefined {
  const headLength = received.indexOf("\r\n\r\n") + 4;
  if (headLength < 4) return undefined;
  const head = received.slice(0, headLength);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length !== undefined) return headLength + Number(length);
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) throw new Error(`An answer without a length: ${head}`);
  return received.endsWith("\r\n0\r\n\r\n") ? received.length : undefined;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => resolve(socket.off("error", reject)));
    socket.once("error", reject);
  });
}
