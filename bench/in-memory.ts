import type { Server } from "node:net";
import { Duplex } from "node:stream";
import { FileKeyVerifier } from "../src/adapters/keys/file-key-verifier.js";
import { PrometheusMetrics } from "../src/adapters/metrics/prometheus-metrics.js";
import { createLog } from "../src/adapters/process/log.js";
import { createContainer, TOKENS } from "../src/container.js";
import { readSettings } from "../src/settings.js";
import { Storages } from "../src/storages.js";
import type { Load } from "./servers.js";

// A child process of `main.ts`, which measures the processor time of a server's own code, without the kernel's sockets.

const CONNECTIONS = 64;

/** Both ends of a connection, the client's and the server's, in one stream. */
class MemorySocket extends Duplex {
  constructor(
    private readonly status: number,
    private readonly onResponse: () => void,
  ) {
    super();
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString("latin1")) ?? [];
    if (status && Number(status) !== this.status) throw new Error(`status ${status}, not ${this.status}`);
    if (status) this.onResponse();
    done();
  }

  // Node's server calls these methods of a net.Socket.
  setTimeout(): void {}
  setNoDelay(): void {}
  setKeepAlive(): void {}
}

/** Sends `amount` requests, one at a time on each connection; resolves after the last response. */
function send(server: Server, load: Load, amount: number): Promise<void> {
  const request = format(load);
  return new Promise((resolve) => {
    let [left, finished] = [amount - CONNECTIONS, 0];
    for (let n = 0; n < CONNECTIONS; n++) {
      const socket = new MemorySocket(load.status, () => {
        finished += 1;
        if (finished === amount) resolve();
        else if (left-- > 0) setImmediate(() => socket.push(request));
      });
      server.emit("connection", socket);
      socket.push(request);
    }
  });
}

function format({ path, method = "GET", body, key }: Load): Buffer {
  const content = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${content ?? ""}`;
  return Buffer.from(`${head}\r\n${body ?? ""}`);
}

/** Composes the service on memory, with its real log, keys and metrics. */
async function createService(): Promise<Server> {
  const { env } = process;
  const settings = readSettings(env);
  const log = await createLog("info", (text) => text);
  const metrics = new PrometheusMetrics("bench", false);
  const keys = await FileKeyVerifier.open("no-keys.json", env.PETSTORE_API_KEY, log, metrics);
  const storages = await Storages.load({});
  const storage = await storages.open("memory:", { log, addReading() {}, mayMake: true });
  const stopping = new AbortController().signal;
  const opened = { version: "bench", settings, log, metrics, keys, storage, stopping };
  return createContainer(opened).resolve(TOKENS.server);
}

const servers = { ours: createService, fastify: async () => (await import("./fastify.js")).app.server };
const server = await servers[process.argv[2] as keyof typeof servers]();

process.on("message", async ({ load, amount }: { load: Load; amount: number }) => {
  const before = process.cpuUsage();
  await send(server, load, amount);
  const { user, system } = process.cpuUsage(before);
  process.send?.(user + system);
});
