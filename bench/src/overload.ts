/**
 * Measures the requests that the service takes on while twice as many come as it can answer, with
 * PETSTORE_MAX_IN_FLIGHT and without. Each of many clients has a connection, and requests that are due at regular times.
 * The time of an answer counts from then, even if the client still awaited the one before. After a 503 a client waits as
 * long as Retry-After says, and up to as long again, and leaves out the requests that fall due meanwhile. The service
 * has core 0 alone; run this on another core:
 *
 *     taskset --cpu-list 1 node dist/src/overload.js
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/src/main.js");
const CONNECTIONS = 4000;
const SECONDS = 5;
const BODY = '{"name":"Rex","categoryId":7}';
const HEAD = "Host: bench\r\nAuthorization: Bearer petstore_bench\r\n";
const REQUESTS: Record<string, string> = {
  list: `GET /v1/pets?limit=20 HTTP/1.1\r\n${HEAD}\r\n`,
  create: `POST /v1/pets HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
};

interface Result {
  /** Milliseconds, per answer. */
  readonly taken: number[];
  readonly shed: number[];
  /** How many requests clients left out because a 503 told them to wait. */
  givenUp: number;
}

interface Client {
  readonly socket: Socket;
  /** When the request was due whose answer the client awaits; undefined if the client awaits none. */
  waiting: number | undefined;
  /** While the client waits, the moments at which its next requests were due. */
  readonly due: number[];
  /** The client sends nothing before this moment, since a 503 told it to wait. */
  quietUntil: number;
}

/**
 * Gives clients `rate` requests a second; if `rate` is 0, each client asks again as soon as it has an answer.
 */
async function load(port: number, request: string, connections: number, rate: number): Promise<Result> {
  const result: Result = { taken: [], shed: [], givenUp: 0 };
  const bytes = Buffer.from(request);
  const clients: Client[] = [];
  // Connections open one after the other: if more came at once than the kernel queues, packets would get lost, and
  // cost seconds.
  while (clients.length < connections) clients.push(await open(port));
  let loading = true;

  function send(client: Client, time: number): void {
    client.waiting = time;
    client.socket.write(bytes);
  }

  function answered(client: Client, status: string, retryAfter: number): void {
    const now = performance.now();
    if (!loading) return;
    (status === "503" ? result.shed : result.taken).push(now - (client.waiting as number));
    client.waiting = undefined;
    if (status === "503") {
      // Clients should not come back all at the same moment.
      client.quietUntil = now + retryAfter * 1000 * (1 + Math.random());
      result.givenUp += client.due.length;
      client.due.length = 0;
    }
    const next = rate === 0 ? now : client.due.shift();
    if (next !== undefined) send(client, next);
  }

  for (const client of clients) {
    let answer = "";
    client.socket.on("data", (chunk) => {
      answer += chunk;
      const head = answer.slice(0, answer.indexOf("\r\n\r\n") + 4);
      if (answer.length < head.length + Number(fieldOf(head, "content-length"))) return;
      answer = "";
      answered(client, head.slice(9, 12), Number(fieldOf(head, "retry-after")));
    });
  }
  const start = performance.now();
  const end = start + SECONDS * 1000;
  if (rate === 0) {
    for (const client of clients) send(client, start);
    await sleep(SECONDS * 1000);
  } else {
    let count = 0;
    for (let now = start; now < end; now = performance.now()) {
      for (; count < ((now - start) * rate) / 1000; count++) {
        const time = start + (count * 1000) / rate;
        const client = clients[count % connections] as Client;
        if (time < client.quietUntil) result.givenUp++;
        // If the load itself was late, the service is not to blame.
        else if (client.waiting === undefined) send(client, performance.now());
        else client.due.push(time);
      }
      await new Promise((next) => setImmediate(next));
    }
  }
  loading = false;
  for (const { socket } of clients) socket.destroy();
  return result;
}

/**
 * The value of a header; undefined if the head is not whole or lacks it. Without a regular expression, for
 * speed.
 */
function fieldOf(head: string, name: string): string | undefined {
  const lower = head.toLowerCase();
  const start = lower.indexOf(`\r\n${name}: `);
  return start < 0 ? undefined : lower.slice(start + name.length + 4, lower.indexOf("\r\n", start + 2));
}

async function open(port: number): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
  await once(socket, "connect");
  return { socket, waiting: undefined, due: [], quietUntil: 0 };
}

async function withProgram<Answer>(limit: number, use: (port: number) => Promise<Answer>): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  const child = spawn("taskset", ["--cpu-list", "0", process.execPath, PROGRAM, "serve"], {
    cwd: folder,
    env: {
      ...process.env,
      PETSTORE_PORT: "0",
      PETSTORE_ADMIN_PORT: "0",
      PETSTORE_API_KEY: "petstore_bench",
      PETSTORE_STORAGE: "sqlite:bench.db",
      PETSTORE_LOG_LEVEL: "silent",
      PETSTORE_MAX_IN_FLIGHT: String(limit),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += chunk;
      if (/listens on \S+:\d+\n/.test(printed)) break;
    }
    const port = Number(/listens on \S+:(\d+)/.exec(printed)?.[1]);
    for (let count = 0; count < 100; count++) {
      await fetch(`http://127.0.0.1:${port}/v1/pets`, {
        method: "POST",
        headers: { Authorization: "Bearer petstore_bench", "Content-Type": "application/json" },
        body: BODY,
      });
    }
    return await use(port);
  } finally {
    child.kill();
    await once(child, "exit");
    rmSync(folder, { recursive: true });
  }
}

function percentile(times: number[], part: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(0);
}

const NO_LIMIT = 999_999;
for (const [operation, request] of Object.entries(REQUESTS)) {
  const saturation = await withProgram(NO_LIMIT, async (port) => {
    await load(port, request, 64, 0);
    return (await load(port, request, 64, 0)).taken.length / SECONDS;
  });
  console.log(`${operation}: saturated at ${Math.round(saturation)} requests/s`);
  for (const limit of [NO_LIMIT, 250, 1000]) {
    const { taken, shed, givenUp } = await withProgram(limit, async (port) => {
      await load(port, request, 64, 0);
      return load(port, request, CONNECTIONS, 2 * saturation);
    });
    const name = limit === NO_LIMIT ? "no limit" : `limit ${limit}`;
    console.log(
      `  twice that, ${name.padEnd(10)}: taken on ${Math.round(taken.length / SECONDS)}/s, ` +
        `p50 ${percentile(taken, 0.5)} ms, p99 ${percentile(taken, 0.99)} ms; ` +
        `shed ${Math.round(shed.length / SECONDS)}/s, p99 ${percentile(shed, 0.99)} ms; ` +
        `given up ${Math.round(givenUp / SECONDS)}/s`,
    );
  }
}
