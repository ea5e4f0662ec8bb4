import type { Server } from "node:http";
import { type AdminDependencies, createAdminApp, type Readiness } from "../adapters/http/admin.js";
import { createHttpServer } from "../adapters/http/server/http-server.js";
import type { KeyVerifier } from "../application/ports/key-verifier.js";
import type { PetRepository } from "../application/ports/pet-repository.js";
import type { Settings } from "../settings/settings.js";
import type { Log } from "./log.js";
import { readVersion } from "./version.js";

/** Probes and scrapers are few, and never wait behind the API's clients. */
const LIMITS = { inFlight: 100, connections: 100 };

/** The admin port of one process, or of the primary of several. */
export function buildAdminServer(
  sources: Pick<AdminDependencies, "findReadiness" | "readMetrics">,
  { logger }: Log,
): Server {
  return createHttpServer(createAdminApp({ ...sources, version: readVersion(), log: logger }), LIMITS);
}

/** Closes a server, and cuts its open requests. */
export function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** The readiness of one process. */
export async function readinessOf(
  app: { readonly stopping: boolean },
  pets: PetRepository,
  keys: KeyVerifier,
  { PETSTORE_READ_ONLY: readOnly }: Settings,
): Promise<Readiness> {
  const unready = app.stopping
    ? "shutting_down"
    : await pets.ping().then(
        () => (keys.isCurrent() ? undefined : "keys_unreadable"),
        () => "storage_unavailable" as const,
      );
  return { unready, readOnly };
}
