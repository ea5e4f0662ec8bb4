import { createRequire } from "node:module";
import { createApp } from "./adapters/http/app.js";
import { combineObservers } from "./adapters/http/combine-observers.js";
import { fitLimits } from "./adapters/http/descriptor-limit.js";
import { RequestLog } from "./adapters/http/middleware/request-log.js";
import { loadClientAddress, loadCors, loadRateLimit } from "./adapters/http/optional-middleware.js";
import { createHttpServer, TIMEOUTS } from "./adapters/http/server/http-server.js";
import { stoppable } from "./adapters/http/server/stop-server.js";
import { FileKeyVerifier } from "./adapters/keys/file-key-verifier.js";
import { measuredPetRepository } from "./adapters/metrics/measured-pet-repository.js";
import { Metrics } from "./adapters/metrics/metrics.js";
import { GuardedPetRepository } from "./adapters/outages/guarded-pet-repository.js";
import { openSwitch } from "./adapters/switches/open-switch.js";
import { loadTracing } from "./adapters/tracing/load-tracing.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { readOnlyPets } from "./application/guards/read-only-pets.js";
import { refuseUnfinished } from "./application/guards/refuse-unfinished.js";
import { ListPets } from "./application/list-pets.js";
import { closePart, type Override, Parts, type Register } from "./parts.js";
import type { Petstore } from "./petstore.js";
import { buildAdminServer, closeAdminServer, readinessOf } from "./process/admin-server.js";
import type { Log } from "./process/log.js";
import { loadLimits, type Settings, wantsTraces } from "./settings/settings.js";
import { openStorage } from "./storages/open-storage.js";
import { Storages } from "./storages/storages.js";
import { TOKENS as t } from "./tokens.js";

// Node's `import` would read every file of these packages twice, which takes a fifth of a start.
const require = createRequire(import.meta.url);
require("reflect-metadata");
const { container, instancePerContainerCachingFactory }: typeof import("tsyringe") = require("tsyringe");

/**
 * Builds the program, for the service and for every test.
 *
 * @throws Error that says what to correct, if a part cannot be made; the open parts are closed first
 */
export async function buildPetstore(settings: Settings, log: Log, override?: Override): Promise<Petstore> {
  const parts = new Parts(container.createChildContainer(), instancePerContainerCachingFactory);
  registerAll(parts.register, settings, log);
  override?.(parts.register);
  await parts.makeAll(Object.values(t));
  return { ...(await parts.get(t.petstore)), close: () => parts.close() };
}

/** The table of contents: for each part its needs, how to make it, and how to close it. */
function registerAll(register: Register, given: Settings, givenLog: Log): void {
  const { settings, log, metrics, context, tracing, storages, app, server, adminServer, findReadiness } = t;
  const { storedPets, finishedPets, guardedPets, tracedPets, measuredPets, readOnly, pets } = t;

  register(settings, {}, () => given);
  register(log, {}, () => givenLog);
  register(metrics, { log }, ({ log }) => new Metrics(["getPet"], log.lostLines));
  register(context, { log, metrics }, (p) => ({ log: p.log.logger, addReading: (r) => p.metrics.add(r) }));
  register(t.observer, { metrics, log }, (p) =>
    combineObservers(p.metrics, new RequestLog(p.log.logger, p.log.destination)),
  );
  register(tracing, { settings, log }, (p) => loadTracing(wantsTraces(p.settings), p.log), closePart);
  register(t.clientAddress, { settings }, (p) => loadClientAddress(p.settings.PETSTORE_TRUST_PROXY));
  register(t.cors, { settings }, (p) => loadCors(p.settings.PETSTORE_CORS_ORIGINS));
  register(t.limitRate, { settings }, (p) => loadRateLimit(p.settings.PETSTORE_RATE_LIMIT));
  register(
    t.keyVerifier,
    { settings, context },
    ({ settings: s, context }) => FileKeyVerifier.open(s.PETSTORE_KEYS_FILE, s.PETSTORE_API_KEY, context),
    (keys) => keys.close(),
  );

  register(storages, { settings }, (p) => Storages.load(p.settings.PETSTORE_STORAGE_ADAPTERS));
  register(
    storedPets,
    { settings, storages, context },
    (p) => openStorage(p.settings.PETSTORE_STORAGE, p.storages, p.context),
    closePart,
  );
  register(finishedPets, { storedPets }, (p) => refuseUnfinished(p.storedPets));
  register(
    guardedPets,
    { finishedPets, log, settings },
    (p) => new GuardedPetRepository(p.finishedPets, p.log.logger, loadLimits(p.settings).inFlight),
    (pets) => pets.stopAsking(),
  );
  register(tracedPets, { guardedPets, tracing }, (p) => p.tracing?.traced(p.guardedPets) ?? p.guardedPets);
  register(measuredPets, { tracedPets, metrics }, (p) => measuredPetRepository(p.tracedPets, p.metrics));
  register(readOnly, { settings }, (p) => openSwitch(p.settings.PETSTORE_READ_ONLY), closePart);
  register(pets, { measuredPets, readOnly }, (p) => readOnlyPets(p.measuredPets, p.readOnly.isOn));

  register(t.listPets, { pets }, ({ pets }) => new ListPets(pets));
  register(t.createPet, { pets }, ({ pets }) => new CreatePet(pets));
  register(t.getPet, { pets }, ({ pets }) => new GetPet(pets));
  const { listPets, createPet, getPet, keyVerifier, clientAddress, cors, limitRate, observer } = t;
  const middleware = { keyVerifier, clientAddress, cors, limitRate, observer, tracer: tracing };
  register(app, { listPets, createPet, getPet, ...middleware, settings, log }, ({ settings, log, ...rest }) =>
    createApp({
      ...rest,
      publicUrl: settings.PETSTORE_PUBLIC_URL,
      getPetServed: settings.PETSTORE_GET_PET === "served",
      log: log.logger,
    }),
  );
  register(t.timeouts, {}, () => TIMEOUTS);
  register(
    server,
    { app, settings, log, timeouts: t.timeouts },
    (p) => createHttpServer(p.app, fitLimits(loadLimits(p.settings), p.log.logger), p.timeouts),
    closePart,
  );
  register(findReadiness, { app, pets, keyVerifier }, (p) => () => readinessOf(p.app, p.pets, p.keyVerifier));
  register(
    adminServer,
    { findReadiness, metrics, log },
    ({ metrics, log, ...rest }) => buildAdminServer({ ...rest, readMetrics: () => metrics.read() }, log),
    closeAdminServer,
  );
  register(t.petstore, { app, server, adminServer, metrics, findReadiness }, (p) => {
    return { ...p, stop: stoppable(p.app, p.server) };
  });
}
