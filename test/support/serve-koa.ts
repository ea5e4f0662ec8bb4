import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type Koa from "koa";
import type { PetstoreApp } from "../../src/adapters/http/petstore-app.js";
import { createHttpServer } from "../../src/adapters/http/server/http-server.js";

export interface ServedKoa {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves our application, with its present middleware, as the program does. */
export function servePetstore(app: PetstoreApp, maxConnections = 1000): Promise<ServedKoa> {
  return listenWith(createHttpServer(app, maxConnections).server);
}

/** Serves any Koa application as Koa's documentation says. */
export function serveKoa(app: Koa): Promise<ServedKoa> {
  return listenWith(createServer(app.callback()));
}

async function listenWith(server: Server): Promise<ServedKoa> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
