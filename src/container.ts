import "reflect-metadata";
import type { Server } from "node:http";
import {
  type InjectionToken,
  instancePerContainerCachingFactory as once,
  container as tsyringe,
} from "tsyringe";
import { type AdminDependencies, createAdminApp, type NotReady } from "./adapters/http/admin.js";
import { createApp, type PetstoreApp } from "./adapters/http/app.js";
import type { RequestObserver } from "./adapters/http/middleware/observe-requests.js";
import { RequestLog } from "./adapters/http/middleware/request-log.js";
import { createHttpServer } from "./adapters/http/server/http-server.js";
import { stoppable } from "./adapters/http/server/stop-server.js";
import { FileKeyVerifier } from "./adapters/keys/file-key-verifier.js";
import { MeasuredPetRepository } from "./adapters/metrics/measured-pet-repository.js";
import { Metrics } from "./adapters/metrics/metrics.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { PetRepository } from "./application/ports/pet-repository.js";
import type { StorageContext } from "./application/ports/storage-adapter.js";
import type { Log } from "./process/log.js";
import { readVersion } from "./process/version.js";
import { type Settings, wantsTraces } from "./settings/settings.js";
import { openStorage } from "./storages/open-storage.js";
import { Storages } from "./storages/storages.js";

const TOKENS = {
  metrics: Symbol("Metrics") as InjectionToken<Metrics>,
  petRepository: Symbol("PetRepository") as InjectionToken<PetRepository>,
  keyVerifier: Symbol("KeyVerifier") as InjectionToken<KeyVerifier>,
  listPets: Symbol("ListPets") as InjectionToken<ListPets>,
  createPet: Symbol("CreatePet") as InjectionToken<CreatePet>,
  getPet: Symbol("GetPet") as InjectionToken<GetPet>,
  app: Symbol("App") as InjectionToken<PetstoreApp>,
  server: Symbol("Server") as InjectionToken<Server>,
  adminServer: Symbol("AdminServer") as InjectionToken<Server>,
};

/** Probes and scrapers are few, and never wait behind the API's clients. */
const ADMIN_LIMITS = { inFlight: 100, connections: 100 };

/** The program, built and not yet listening. */
export interface Petstore {
  readonly server: Server;
  readonly adminServer: Server;
  readonly metrics: Metrics;
  /** What keeps the program from being ready; undefined where nothing does. */
  findUnready(): Promise<NotReady | undefined>;
  /** Stops serving; false where requests in flight had to be cut after `patience` milliseconds. */
  stop(patience: number): Promise<boolean>;
  /** Closes what the program holds open, in reverse order; to be called once nothing is served any more. */
  close(): Promise<void>;
}

/** @throws Error that says what to correct, where the storage or the keys cannot be opened. */
export async function buildPetstore(
  settings: Settings,
  { logger, destination, lostLines }: Log,
): Promise<Petstore> {
  const { PETSTORE_STORAGE: storage, PETSTORE_KEYS_FILE: keysFile, PETSTORE_API_KEY: apiKey } = settings;
  // First what holds nothing open: where it fails, nothing is left that keeps the program from ending.
  const tracing = wantsTraces(settings) ? await startTracing() : undefined;
  const { clientAddress, cors, limitRate } = await loadOptions(settings);
  const keyVerifier = await FileKeyVerifier.open(keysFile, apiKey, logger);
  const metrics = createMetrics(lostLines);
  const context: StorageContext = {
    log: logger,
    addReading: ({ name, help, type, read }) => metrics.add(name, help, type, read),
  };
  const storedPets = await openStorage(
    storage,
    await Storages.load(settings.PETSTORE_STORAGE_ADAPTERS),
    context,
  ).catch((error) => {
    keyVerifier.close();
    throw error;
  });
  const petRepository = tracing?.traced(storedPets) ?? storedPets;

  const container = tsyringe.createChildContainer();
  container.register(TOKENS.metrics, { useValue: metrics });
  container.register(TOKENS.petRepository, {
    useFactory: once((c) => new MeasuredPetRepository(petRepository, c.resolve(TOKENS.metrics))),
  });
  container.register(TOKENS.keyVerifier, { useValue: keyVerifier });
  container.register(TOKENS.listPets, {
    useFactory: once((c) => new ListPets(c.resolve(TOKENS.petRepository))),
  });
  container.register(TOKENS.createPet, {
    useFactory: once((c) => new CreatePet(c.resolve(TOKENS.petRepository))),
  });
  container.register(TOKENS.getPet, { useFactory: once((c) => new GetPet(c.resolve(TOKENS.petRepository))) });
  container.register(TOKENS.app, {
    useFactory: once((c) =>
      createApp({
        listPets: c.resolve(TOKENS.listPets),
        createPet: c.resolve(TOKENS.createPet),
        getPet: c.resolve(TOKENS.getPet),
        keyVerifier: c.resolve(TOKENS.keyVerifier),
        publicUrl: settings.PETSTORE_PUBLIC_URL,
        clientAddress,
        cors,
        limitRate,
        getPetServed: settings.PETSTORE_GET_PET === "served",
        log: logger,
        tracer: tracing,
        observer: observeAll(c.resolve(TOKENS.metrics), new RequestLog(logger, destination)),
      }),
    ),
  });
  container.register(TOKENS.server, {
    useFactory: once((c) =>
      createHttpServer(c.resolve(TOKENS.app), {
        inFlight: settings.PETSTORE_MAX_IN_FLIGHT,
        connections: settings.PETSTORE_MAX_CONNECTIONS,
      }),
    ),
  });
  container.register(TOKENS.adminServer, {
    useFactory: once((c) =>
      buildAdminServer({ findUnready, readMetrics: () => c.resolve(TOKENS.metrics).read() }, logger),
    ),
  });

  async function findUnready(): Promise<NotReady | undefined> {
    if (container.resolve(TOKENS.app).stopping) return "shutting_down";
    return findStorageAway(container.resolve(TOKENS.petRepository));
  }

  // Everything is resolved here, so that a missing wire fails the start.
  for (const token of Object.values(TOKENS)) container.resolve<unknown>(token);
  const server = container.resolve(TOKENS.server);
  const adminServer = container.resolve(TOKENS.adminServer);
  return {
    server,
    adminServer,
    metrics: container.resolve(TOKENS.metrics),
    findUnready,
    stop: stoppable(container.resolve(TOKENS.app), server),
    async close() {
      // Until now it has told that the program is stopping. What is asked of it at this moment is cut.
      adminServer.close();
      adminServer.closeAllConnections();
      server.close();
      try {
        await petRepository.close();
        await tracing?.close().catch((err) => logger.warn({ err }, "the last traces were not sent"));
      } finally {
        keyVerifier.close();
      }
    },
  };
}

/** The admin port of one process, or of the primary of several. */
export function buildAdminServer(
  sources: Pick<AdminDependencies, "findUnready" | "readMetrics">,
  log: Log["logger"],
): Server {
  return createHttpServer(createAdminApp({ ...sources, version: readVersion(), log }), ADMIN_LIMITS);
}

function createMetrics(lostLines: () => number): Metrics {
  const metrics = new Metrics(["getPet"]);
  metrics.add(
    "petstore_log_lines_lost_total",
    "Lines of the log that could not be written.",
    "counter",
    lostLines,
  );
  return metrics;
}

function observeAll(metrics: Metrics, requestLog: RequestLog): RequestObserver {
  return {
    requestStarted: () => metrics.requestStarted(),
    requestFinished(request) {
      metrics.requestFinished(request);
      requestLog.requestFinished(request);
    },
    requestRefused(request) {
      metrics.requestRefused(request);
      requestLog.requestRefused(request);
    },
    requestShed() {
      metrics.requestShed();
      requestLog.requestShed();
    },
  };
}

async function findStorageAway(repository: PetRepository): Promise<"storage_unavailable" | undefined> {
  return repository.ping().then(
    () => undefined,
    () => "storage_unavailable" as const,
  );
}

/** @throws Error that says what to install, where OpenTelemetry's packages are missing. */
async function startTracing() {
  const { Tracing } = await import("./adapters/tracing/tracing.js").catch((cause) => {
    if (cause.code !== "ERR_MODULE_NOT_FOUND" || !cause.message.includes("@opentelemetry/")) throw cause;
    const packages =
      "@opentelemetry/api@1 @opentelemetry/resources@2.8 @opentelemetry/sdk-trace-node@2.8 " +
      "@opentelemetry/exporter-trace-otlp-proto@0.219";
    throw new Error(
      "Traces are turned on by OTEL_…, and cannot be made; install beside petstore, with the --global and --prefix " +
        `that it was installed with: ${packages}`,
      { cause },
    );
  });
  return new Tracing();
}

/** What only some operators turn on; what is off is not even loaded. */
async function loadOptions(settings: Settings) {
  const {
    PETSTORE_TRUST_PROXY: proxies,
    PETSTORE_CORS_ORIGINS: origins,
    PETSTORE_RATE_LIMIT: rate,
  } = settings;
  return {
    clientAddress:
      proxies && (await import("./adapters/http/middleware/client-address.js")).clientAddressBehind(proxies),
    cors: origins && (await import("./adapters/http/middleware/cors.js")).allowOrigins(origins),
    limitRate: rate && (await import("./adapters/http/middleware/limit-rate.js")).limitRate(rate),
  };
}
