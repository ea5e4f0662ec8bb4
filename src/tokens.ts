import type { Server } from "node:http";
import type { Readiness } from "./adapters/http/admin.js";
import type { PetstoreApp } from "./adapters/http/app.js";
import type { Handler } from "./adapters/http/context.js";
import type { Cors } from "./adapters/http/middleware/cors.js";
import type { ClientAddress, RequestObserver } from "./adapters/http/middleware/observe-requests.js";
import type { TIMEOUTS } from "./adapters/http/server/http-server.js";
import type { Metrics } from "./adapters/metrics/metrics.js";
import type { Switch } from "./adapters/switches/open-switch.js";
import type { Tracing } from "./adapters/tracing/tracing.js";
import type { CreatePet } from "./application/create-pet.js";
import type { GetPet } from "./application/get-pet.js";
import type { ReadOnlyPets } from "./application/guards/read-only-pets.js";
import type { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { PetRepository } from "./application/ports/pet-repository.js";
import type { StorageContext } from "./application/ports/storage-adapter.js";
import { token } from "./parts.js";
import type { Petstore } from "./petstore.js";
import type { Log } from "./process/log.js";
import type { Settings } from "./settings/settings.js";
import type { KnownStorages } from "./settings/storage-rules.js";

/**
 * Every part of the program, in the order of making. A part that an operator has not turned on is undefined.
 */
export const TOKENS = {
  settings: token<Settings>("settings"),
  log: token<Log>("log"),
  storages: token<KnownStorages>("storages"),
  metrics: token<Metrics>("metrics"),
  context: token<StorageContext>("context"),
  observer: token<RequestObserver>("observer"),
  tracing: token<Tracing | undefined>("tracing"),
  clientAddress: token<ClientAddress | undefined>("clientAddress"),
  cors: token<Cors | undefined>("cors"),
  limitRate: token<Handler | undefined>("limitRate"),
  readOnly: token<Switch>("readOnly"),
  keyVerifier: token<KeyVerifier>("keyVerifier"),
  /** The storage, then each decorator of its port around the one before. Use cases get the last. */
  storedPets: token<PetRepository>("storedPets"),
  finishedPets: token<PetRepository>("finishedPets"),
  guardedPets: token<PetRepository>("guardedPets"),
  tracedPets: token<PetRepository>("tracedPets"),
  measuredPets: token<PetRepository>("measuredPets"),
  pets: token<ReadOnlyPets>("pets"),
  listPets: token<ListPets>("listPets"),
  createPet: token<CreatePet>("createPet"),
  getPet: token<GetPet>("getPet"),
  app: token<PetstoreApp>("app"),
  timeouts: token<typeof TIMEOUTS>("timeouts"),
  server: token<Server>("server"),
  findReadiness: token<() => Promise<Readiness>>("findReadiness"),
  adminServer: token<Server>("adminServer"),
  petstore: token<Omit<Petstore, "close">>("petstore"),
};
