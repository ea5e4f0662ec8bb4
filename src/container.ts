import "reflect-metadata";
import type { Logger } from "pino";
import {
  container,
  type DependencyContainer,
  type InjectionToken,
  instancePerContainerCachingFactory,
} from "tsyringe";
import { Guard } from "./adapters/guard/guard.js";
import { GuardedPets } from "./adapters/guard/guarded-pets.js";
import { createAdminApp } from "./adapters/http/admin.js";
import { createApp, type PetUseCases } from "./adapters/http/app.js";
import { HttpServer, TIMEOUTS } from "./adapters/http/server.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { Metrics } from "./application/ports/metrics.js";
import type { Storage } from "./application/storage-adapter.js";
import type { Settings } from "./settings.js";

/** The parts that open asynchronously; the program is composed over them. */
export interface Opened {
  readonly version: string;
  readonly settings: Settings;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly keys: KeyVerifier;
  readonly storage: Storage;
  /** Aborts when the service is told to stop. */
  readonly stopping: AbortSignal;
}

const token = <Part>(name: string): InjectionToken<Part> => Symbol(name);

/** The parts of the program. A test may replace any of them. */
export const TOKENS = {
  guard: token<Guard>("guard"),
  pets: token<PetUseCases>("pets"),
  app: token<ReturnType<typeof createApp>>("app"),
  adminApp: token<ReturnType<typeof createAdminApp>>("adminApp"),
  timeouts: token<typeof TIMEOUTS>("timeouts"),
  server: token<HttpServer>("server"),
  adminServer: token<HttpServer>("adminServer"),
};

/** Returns a fresh container, which creates each part once, when it is first resolved. */
export function createContainer(opened: Opened): DependencyContainer {
  const { version, settings, log, metrics, keys, storage, stopping } = opened;
  const program = container.createChildContainer();
  const provide = <Part>(token: InjectionToken<Part>, create: (parts: DependencyContainer) => Part) =>
    program.register(token, { useFactory: instancePerContainerCachingFactory(create) });

  provide(TOKENS.guard, () => new Guard(storage, settings.readOnly, log, metrics));
  provide(TOKENS.pets, (parts) => {
    const pets = new GuardedPets(storage.pets, parts.resolve(TOKENS.guard));
    return { listPets: new ListPets(pets), createPet: new CreatePet(pets), getPet: new GetPet(pets) };
  });
  provide(TOKENS.app, (parts) =>
    createApp({ pets: parts.resolve(TOKENS.pets), keys, log, metrics, settings }),
  );
  provide(TOKENS.adminApp, (parts) =>
    createAdminApp({
      isReady: () => parts.resolve(TOKENS.guard).isReady(),
      stopping,
      metrics,
      version,
      isReadOnly: settings.readOnly,
      log,
    }),
  );
  provide(TOKENS.timeouts, () => ({ ...TIMEOUTS, keepAliveTimeout: settings.keepAliveTimeout * 1000 }));
  provide(
    TOKENS.server,
    (parts) =>
      new HttpServer(parts.resolve(TOKENS.app), settings.maxConnections, parts.resolve(TOKENS.timeouts)),
  );
  provide(TOKENS.adminServer, (parts) => new HttpServer(parts.resolve(TOKENS.adminApp), 100));
  return program;
}
