import { execFileSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { outage, run } from "../src/outage.js";

/** A new PostgreSQL cluster in a temporary folder, which listens on a free port of the loopback interface. */
export class Cluster {
  private readonly folder = fs.mkdtempSync(`${tmpdir()}/petstore-postgres-`);
  private port = 0;
  private schemas = 0;

  async start(): Promise<void> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as { port: number }).port;
    server.close();
    if (process.getuid?.() === 0)
      fs.chownSync(this.folder, Number(execFileSync("id", ["-u", "postgres"])), 0);
    process.env.PGDATA = `${this.folder}/data`;
    await run(
      "initdb",
      "-D",
      process.env.PGDATA,
      "-A",
      "trust",
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "--no-locale",
    );
    const settings = `port = ${this.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`;
    fs.appendFileSync(`${process.env.PGDATA}/postgresql.conf`, settings);
    await outage.up();
  }

  /** Returns the URL of a schema that does not exist yet. */
  newUrl(schema = `pets_${++this.schemas}`): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?schema=${schema}`;
  }

  async remove(): Promise<void> {
    await outage.down();
    fs.rmSync(this.folder, { recursive: true });
  }
}
