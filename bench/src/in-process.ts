import { existsSync } from "node:fs";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { wireOf } from "./load.js";
import { OPERATIONS, type OperationName, SEED } from "./operations.js";

// Runs the service in a process of its own, which also sends the requests, over sockets in memory. Neither the kernel
// nor a load generator takes part, so that other work of the machine disturbs the figures little.

const CONNECTIONS = 16;
/** How often each connection asks in one batch: long enough that the log is written in it. */
const ROUNDS = 32;

/** The client's end of a connection that exists in memory only. */
class Connection extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  answered = (_status: string): void => {};
  private received = "";

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.receive(chunk.toString("latin1"));
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) this.receive(chunk.toString("latin1"));
    done();
  }

  setTimeout(): this {
    return this;
  }

  private receive(text: string): void {
    this.received += text;
    const head = this.received.indexOf("\r\n\r\n");
    if (head < 0) return;
    const [, length = "0"] = /content-length: (\d+)/i.exec(this.received.slice(0, head)) ?? [];
    if (this.received.length < head + 4 + Number(length)) return;
    const status = this.received.slice(9, 12);
    this.received = "";
    this.answered(status);
  }
}

/** The folder of the built service, `dist/src`. */
const SERVICE = process.env.PETSTORE_BENCH_SERVICE ?? new URL("../../../dist/src", import.meta.url).pathname;

/** A module of the service, by its present path or that in release 1.0.0. */
async function service(path: string, earlier = path) {
  return import(join(SERVICE, existsSync(join(SERVICE, path)) ? path : earlier));
}
const { buildPetstore } = await service("container.js");
const { readSettings } = await service("settings/settings.js", "config.js");
const { createKeysFile } = await service("adapters/keys/keys-file.js");
const { openLog } = await service("process/log.js", "log.js");
// Release 1.0.0 has the storages in its settings.
const { BUILT_IN_STORAGES } = await service("storages/built-in.js", "config.js");
const settings = readSettings(process.env, BUILT_IN_STORAGES);
await createKeysFile(settings.PETSTORE_KEYS_FILE);
const { server } = await buildPetstore(settings, await openLog(settings.PETSTORE_LOG_LEVEL));
const connections = Array.from({ length: CONNECTIONS }, () => new Connection());
for (const connection of connections) server.emit("connection", connection);

/** Lets each connection ask `rounds` times; answers the processor time per request, in microseconds. */
async function batch(wire: readonly Buffer[], status: number, rounds: number): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    await new Promise<void>((resolve, reject) => {
      let missing = CONNECTIONS;
      for (const [index, connection] of connections.entries()) {
        connection.answered = (found) => {
          if (found !== String(status)) reject(new Error(`Status ${found} instead of ${status}.`));
          else if (--missing === 0) resolve();
        };
        connection.push(wire[index % wire.length]);
      }
    });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (rounds * CONNECTIONS);
}

process.on("message", async ({ name, batches }: { name: OperationName; batches: number }) => {
  const { requests, status } = OPERATIONS[name];
  const wire = requests.map(wireOf);
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < batches; count++) least = Math.min(least, await batch(wire, status, ROUNDS));
  process.send?.(least);
});
process.on("disconnect", () => process.exit());

await batch(SEED.slice(0, CONNECTIONS).map(wireOf), 201, SEED.length / CONNECTIONS + 1);
process.send?.("ready");
