import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { Duplex } from "node:stream";

// Loaded into each server before its own code (`node --import`). If the benchmark asks, it answers with what this process
// has used, or sends requests from within the process. It is the same for every server, and takes no time otherwise.

/** Requests to send from within the process. */
export interface Injection {
  /** Each a whole request of HTTP/1.1. */
  readonly requests: readonly string[];
  /** How often each connection sends one of them. */
  readonly rounds: number;
  /** The status of every answer. */
  readonly status: number;
}

/** How many connections have a request under way at once. */
const CONNECTIONS = 64;

/** A connection without a socket. The server reads what is pushed; what it writes goes to `answered`. */
class Connection extends Duplex {
  override _read(): void {}

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    if (chunk.subarray(0, 5).equals(HTTP)) answered(chunk.toString("latin1", 9, 12));
    done();
  }
}

const HTTP = Buffer.from("HTTP/");

let server: Server | undefined;
const connections: Connection[] = [];
let answered: (status: string) => void;

const START = "http.server.request.start";
subscribe(START, function findServer(message) {
  server = (message as { server: Server }).server;
  unsubscribe(START, findServer);
});

/**
 * @returns the processor time of a request, in microseconds
 * @throws Error if an answer has another status
 */
async function inject({ requests, rounds, status }: Injection): Promise<number> {
  if (!server) throw new Error("Nobody has asked the server yet.");
  while (connections.length < CONNECTIONS) {
    const connection = new Connection();
    server.emit("connection", connection);
    connections.push(connection);
  }
  const packets = requests.map((text) => Buffer.from(text));
  let sent = 0;
  const before = usage().cpu;
  for (let round = 0; round < rounds; round++) {
    let awaited = CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      answered = (found) => {
        if (found !== `${status}`) reject(new Error(`${found} instead of ${status}`));
        else if (--awaited === 0) setImmediate(resolve);
      };
      for (const connection of connections) connection.push(packets[sent++ % packets.length]);
    });
  }
  return (usage().cpu - before) / sent;
}

function usage(): { cpu: number; rss: number } {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, rss: process.memoryUsage.rss() };
}

process.on("message", async (asked: "usage" | Injection) => {
  process.send?.(asked === "usage" ? usage() : await inject(asked).catch(({ message }) => message));
});
// So no server outlives the benchmark, however that ends.
process.on("disconnect", () => process.exit());
