import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { Logger } from "pino";
import type { DependencyContainer, InjectionToken } from "tsyringe";
import { around, aroundPorts, type Ports, type Wrapper } from "./adapters/guard/around.js";
import { Circuit } from "./adapters/guard/circuit.js";
import { deadline } from "./adapters/guard/deadline.js";
import { measure } from "./adapters/guard/measure.js";
import { readOnly } from "./adapters/guard/read-only.js";
import type { NotReady } from "./adapters/http/admin.js";
import { type AppDependencies, createApp } from "./adapters/http/app.js";
import type { KoaApp } from "./adapters/http/koa-app.js";
import { logRequests } from "./adapters/http/request-log.js";
import { orders } from "./adapters/http/resources/orders/routes.js";
import { pets } from "./adapters/http/resources/pets/routes.js";
import { createHttpServer, type HttpServer, TIMEOUTS } from "./adapters/http/server/http-server.js";
import { listen } from "./adapters/http/server/listen.js";
import { possibleConnections } from "./adapters/http/server/possible-connections.js";
import { FileKeyVerifier } from "./adapters/keys/file-key-verifier.js";
import { Metrics } from "./adapters/metrics/metrics.js";
import { readVersion } from "./adapters/process/version.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { Storage, StorageContext } from "./application/ports/storage.js";
import type { Settings } from "./settings/settings.js";
import { openStorage } from "./storages/open-storage.js";
import { loadStorages } from "./storages/storages.js";

// Node's `import` would read every file of these packages twice, which takes a fifth of a start.
const require = createRequire(import.meta.url);
require("reflect-metadata");
const {
  container,
  instancePerContainerCachingFactory: once,
}: typeof import("tsyringe") = require("tsyringe");

const token = <Part>(name: string): InjectionToken<Part> => Symbol(name);

/** Every part of the program. */
export const TOKENS = {
  /** The middleware that an operator turns on by a setting; each may be undefined. */
  options: token<Pick<AppDependencies, "clientAddress" | "limitRate">>("options"),
  keyVerifier: token<KeyVerifier & { start?(): Promise<void>; close?(): void }>("keyVerifier"),
  /** As it was opened. Only the circuit asks it; use cases get `ports`. */
  storage: token<Storage>("storage"),
  /** Every port of the storage, behind the guard and the measurement. */
  ports: token<Ports>("ports"),
  circuit: token<Circuit>("circuit"),
  metrics: Metrics as InjectionToken<Metrics>,
  /** The operations of each resource. */
  resources: token<AppDependencies["resources"]>("resources"),
  app: token<KoaApp>("app"),
  timeouts: token<typeof TIMEOUTS>("timeouts"),
  server: token<HttpServer>("server"),
};
const t = TOKENS;

/** The program, built and not yet listening. */
export interface Petstore {
  readonly app: KoaApp;
  readonly server: Server;
  readonly metrics: Metrics;
  readonly keys: { start?(): Promise<void> };
  /**
   * Listens at the address of the settings, or on a descriptor that listens already, and gives the address.
   *
   * @throws Error that says which setting to correct
   */
  listen(fd?: number): Promise<string>;
  /** The reason why the program is not ready for requests; undefined if it is. */
  findUnready(): Promise<NotReady | undefined>;
  /** Stops serving; false if it had to cut connections after `patience` milliseconds. */
  stop(patience: number): Promise<boolean>;
  /** Closes all that the program holds open, once nothing is served any more. */
  close(): Promise<void>;
}

/**
 * Builds the program, for the service and for every test.
 *
 * @param override registers parts that replace those of this file, before any is made or opened
 * @throws Error that says what to correct, if a part cannot be made; the parts that are open are closed first
 */
export async function buildPetstore(
  settings: Settings,
  log: Logger,
  override?: (program: DependencyContainer) => void,
): Promise<Petstore> {
  const program = container.createChildContainer();
  const closers: (() => unknown)[] = [];
  const close = () => closeAll(closers);
  registerParts(program, settings, log);
  override?.(program);
  try {
    await openParts(program, settings, log, closers);
    // These need all others: a missing wire fails here, and not at a request.
    const [app, { server, stop }] = [program.resolve(t.app), program.resolve(t.server)];
    const metrics = program.resolve(t.metrics);
    const keys = program.resolve(t.keyVerifier);
    const circuit = program.resolve(t.circuit);
    closers.push(() => {
      server.close();
      server.closeAllConnections();
    });
    async function findUnready(): Promise<NotReady | undefined> {
      if (app.stopping) return "shutting_down";
      if (!(await circuit.probe())) return "storage_unavailable";
      return undefined;
    }
    const { PETSTORE_HOST: host, PETSTORE_PORT: port } = settings;
    return {
      app,
      server,
      metrics,
      keys,
      listen: (fd) => listen(server, { host, port, fd, settings: ["PETSTORE_HOST", "PETSTORE_PORT"] }),
      findUnready,
      async stop(patience) {
        const cut = await stop(patience);
        if (cut > 0) log.error({ connections: cut }, "connections cut: requests or answers were under way");
        return cut === 0;
      },
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Opens what takes time, unless a test has registered its own, and registers it as a value. */
async function openParts(
  program: DependencyContainer,
  settings: Settings,
  log: Logger,
  closers: (() => unknown)[],
): Promise<void> {
  async function open<Part>(token: InjectionToken<Part>, make: () => Promise<Part>): Promise<Part> {
    if (!program.isRegistered(token)) program.register(token, { useValue: await make() });
    return program.resolve(token);
  }
  const metrics = program.resolve(t.metrics);
  const context: StorageContext = { log, addReading: (reading) => metrics.add(reading), mayMake: true };

  const { PETSTORE_TRUST_PROXY: proxies, PETSTORE_RATE_LIMIT: rate } = settings;
  await open(t.options, async () => ({
    clientAddress:
      proxies && (await import("./adapters/http/middleware/client-address.js")).clientAddressBehind(proxies),
    limitRate: rate && (await import("./adapters/http/middleware/limit-rate.js")).limitRate(rate),
  }));
  const keys = await open(t.keyVerifier, () =>
    FileKeyVerifier.open(settings.PETSTORE_KEYS_FILE, settings.PETSTORE_API_KEY, context),
  );
  closers.push(() => keys.close?.());
  const storage = await open(t.storage, async () =>
    openStorage(settings.PETSTORE_STORAGE, await loadStorages(settings.PETSTORE_STORAGE_ADAPTERS), context),
  );
  closers.push(() => storage.close());
  const circuit = program.resolve(t.circuit);
  closers.push(() => circuit.stop());
}

/** The table of contents: how to make each part, once. */
function registerParts(program: DependencyContainer, settings: Settings, log: Logger): void {
  const { PETSTORE_PUBLIC_URL: origin = "" } = settings;
  function make<Part>(token: InjectionToken<Part>, factory: (c: DependencyContainer) => Part): void {
    program.register(token, { useFactory: once(factory) });
  }
  make(t.metrics, () => new Metrics(readVersion()));
  make(t.circuit, (c) => {
    const storage = c.resolve(t.storage);
    const metrics = c.resolve(t.metrics);
    const life = { ping: () => storage.ping() };
    const { ping } = around(life, { ping: "read" }, measured(metrics), deadline);
    return new Circuit(ping, () => storage.pets.get(0n), log);
  });
  make(t.ports, (c) => {
    const [storage, metrics, circuit] = [c.resolve(t.storage), c.resolve(t.metrics), c.resolve(t.circuit)];
    const guard: Wrapper = (call, { kind }) => circuit.run(kind, call);
    // What the guard refuses is no operation of the storage; one that is given up is a slow one.
    const wrappers = [guard, measured(metrics), deadline];
    return aroundPorts(storage, ...(settings.PETSTORE_READ_ONLY ? [readOnly, ...wrappers] : wrappers));
  });
  make(t.resources, (c) => {
    const { pets: repository } = c.resolve(t.ports);
    const petUseCases = {
      listPets: new ListPets(repository),
      createPet: new CreatePet(repository),
      getPet: new GetPet(repository),
    };
    return [pets(petUseCases, origin, settings.PETSTORE_GET_PET === "served"), orders()];
  });
  make(t.app, (c) => {
    const app = createApp({
      resources: c.resolve(t.resources),
      keyVerifier: c.resolve(t.keyVerifier),
      ...c.resolve(t.options),
      corsOrigins: settings.PETSTORE_CORS_ORIGINS,
      maxInFlight: settings.PETSTORE_MAX_IN_FLIGHT,
      log,
    });
    const metrics = c.resolve(t.metrics);
    app.on("requestStarted", () => metrics.requestStarted());
    app.on("requestFinished", (request) => metrics.requestFinished(request));
    app.on("requestRefused", (request) => metrics.requestRefused(request));
    app.on("connectionCut", (reason) => metrics.connectionCut(reason));
    logRequests(app, log);
    return app;
  });
  make(t.timeouts, () => TIMEOUTS);
  make(t.server, (c) => {
    const connections = possibleConnections(settings.PETSTORE_MAX_CONNECTIONS, log);
    return createHttpServer(c.resolve(t.app), connections, c.resolve(t.timeouts));
  });
}

function measured(metrics: Metrics): Wrapper {
  return measure((...operation) => metrics.storageOperation(...operation));
}

/** Closes the last first. @throws an error of a part that does not close; the others are closed all the same */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const close = closers.pop();
  if (!close) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}
