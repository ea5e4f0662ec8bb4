import { connect, type Socket } from "node:net";
import { wireOf } from "./load.js";
import type { Operation } from "./operations.js";
import { quantile } from "./statistics.js";

/** Sends requests at a fixed rate, however long the answers take, as many independent clients do. */
export async function sendAtRate(
  { requests }: Operation,
  { port, rate, duration }: { port: number; rate: number; duration: number },
): Promise<AtRate> {
  const wire = requests.map(wireOf);
  const idle: Socket[] = [];
  const latencies: number[] = [];
  const statuses = new Map<string, number>();
  const start = performance.now();
  const unanswered = new Set<Promise<void>>();

  async function send(n: number): Promise<void> {
    const due = start + (n * 1000) / rate;
    const socket = idle.pop() ?? connect({ port, host: "127.0.0.1", noDelay: true });
    socket.write(wire[n % wire.length] as Buffer);
    const status = await answerOn(socket);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    latencies.push(performance.now() - due);
    if (!socket.destroyed) idle.push(socket);
  }

  for (let sent = 0; performance.now() - start < duration; ) {
    const due = ((performance.now() - start) * rate) / 1000;
    for (; sent < due; sent++) {
      const answered: Promise<void> = send(sent).finally(() => unanswered.delete(answered));
      unanswered.add(answered);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(unanswered);
  for (const socket of idle) socket.destroy();
  const sorted = Float64Array.from(latencies).sort();
  return {
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    worst: sorted.at(-1) ?? 0,
    statuses: Object.fromEntries(statuses),
  };
}

/**
 * The latencies, from the moment at which each request was due, in milliseconds, and how many answers had
 * each status.
 */
export interface AtRate {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** The status of the next answer, once that is whole; "cut" if the connection ends before. */
function answerOn(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const done = (status: string) => {
      socket.removeAllListeners();
      socket.on("error", () => {});
      resolve(status);
    };
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const head = received.indexOf("\r\n\r\n");
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
      if (head >= 0 && received.length >= head + 4 + Number(length ?? 0)) done(received.slice(9, 12));
    });
    socket.on("error", () => done("cut"));
    socket.on("close", () => done("cut"));
  });
}
