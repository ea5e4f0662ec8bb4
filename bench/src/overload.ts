/**
 * What becomes of the requests that are taken on while twice as many come as can be answered, with
 * PETSTORE_MAX_IN_FLIGHT and without. Clients do not wait for each other: a request is due at its time, and how long
 * it took is counted from then, also where no connection was free to send it. The service has core 0 to itself; run this on another:
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
  /** Requests that were due and have no answer at the end. */
  unanswered: number;
}

/** Sends `rate` requests a second, or, where it is 0, the next as soon as the last is answered. */
async function load(port: number, request: string, connections: number, rate: number): Promise<Result> {
  const result: Result = { taken: [], shed: [], unanswered: 0 };
  const idle: Socket[] = [];
  const due: number[] = [];
  let loading = true;

  function send(socket: Socket, time: number): void {
    socket.write(request);
    let answer = "";
    socket.on("data", function read(chunk) {
      answer += chunk;
      const end = answer.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
      if (end < 0 || answer.length < end + 4 + length) return;
      socket.off("data", read);
      const status = answer.slice(9, 12);
      if (status !== "200" && status !== "201" && status !== "503") throw new Error(answer);
      if (loading) (status === "503" ? result.shed : result.taken).push(performance.now() - time);
      if (!loading) return;
      const next = rate === 0 ? performance.now() : due.shift();
      if (next === undefined) idle.push(socket);
      else send(socket, next);
    });
  }

  const sockets: Socket[] = [];
  for (let count = 0; count < connections; count++) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
    await once(socket, "connect");
    sockets.push(socket);
  }
  const start = performance.now();
  const end = start + SECONDS * 1000;
  if (rate === 0) {
    for (const socket of sockets) send(socket, start);
    await sleep(SECONDS * 1000);
  } else {
    idle.push(...sockets);
    let sent = 0;
    for (let now = start; now < end; now = performance.now()) {
      for (; sent < ((now - start) * rate) / 1000; sent++) {
        const time = start + (sent * 1000) / rate;
        const socket = idle.pop();
        if (socket) send(socket, time);
        else due.push(time);
      }
      await new Promise((next) => setImmediate(next));
    }
    result.unanswered = sent - result.taken.length - result.shed.length;
  }
  loading = false;
  for (const socket of sockets) socket.destroy();
  return result;
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
    const { taken, shed, unanswered } = await withProgram(limit, async (port) => {
      await load(port, request, 64, 0);
      return load(port, request, CONNECTIONS, 2 * saturation);
    });
    const name = limit === NO_LIMIT ? "no limit" : `limit ${limit}`;
    console.log(
      `  twice that, ${name.padEnd(10)}: taken on ${Math.round(taken.length / SECONDS)}/s, ` +
        `p50 ${percentile(taken, 0.5)} ms, p99 ${percentile(taken, 0.99)} ms; ` +
        `shed ${Math.round(shed.length / SECONDS)}/s, p99 ${percentile(shed, 0.99)} ms; unanswered ${unanswered}`,
    );
  }
}
