import type { Server } from "node:http";
import { listen } from "./adapters/http/listen.js";
import type { Settings } from "./config.js";

/** Listens where the settings say, and gives the API's address. @throws Error that says which setting to correct. */
export function listenForApi(server: Server, { PETSTORE_HOST, PETSTORE_PORT }: Settings): Promise<string> {
  return listen(server, PETSTORE_HOST, PETSTORE_PORT, { host: "PETSTORE_HOST", port: "PETSTORE_PORT" });
}

/** Listens where the settings say, and gives the admin port's address. @throws Error as above. */
export function listenForAdmin(
  server: Server,
  { PETSTORE_ADMIN_HOST, PETSTORE_ADMIN_PORT }: Settings,
): Promise<string> {
  return listen(server, PETSTORE_ADMIN_HOST, PETSTORE_ADMIN_PORT, {
    host: "PETSTORE_ADMIN_HOST",
    port: "PETSTORE_ADMIN_PORT",
  });
}
