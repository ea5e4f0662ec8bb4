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
import { ReadOnlyPets } from "./adapters/guard/read-only-pets.js";
import { createAdminApp } from "./adapters/http/admin.js";
import { createApp } from "./adapters/http/app.js";
import type { Metrics } from "./adapters/metrics/metrics.js";
import { readVersion } from "./adapters/process/version.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { PetRepository } from "./application/ports/pet-repository.js";
import type { Storage } from "./application/storage-adapter.js";
import type { Settings } from "./settings.js";

const token = <Part>(name: string): InjectionToken<Part> => Symbol(name);

/** Every part of the program. The first six are passed in; the rest are built here. */
export const TOKENS = {
  settings: token<Settings>("settings"),
  log: token<Logger>("log"),
  metrics: token<Metrics>("metrics"),
  storage: token<Storage>("storage"),
  keys: token<KeyVerifier>("keys"),
  /** Aborts when the service is told to stop. */
  stopping: token<AbortSignal>("stopping"),
  guard: token<Guard>("guard"),
  pets: token<PetRepository>("pets"),
  listPets: token<ListPets>("listPets"),
  createPet: token<CreatePet>("createPet"),
  getPet: token<GetPet>("getPet"),
  app: token<ReturnType<typeof createApp>>("app"),
  admin: token<ReturnType<typeof createAdminApp>>("admin"),
};

/** What is passed in. */
export interface OpenParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly storage: Storage;
  readonly keys: KeyVerifier;
  readonly stopping: AbortSignal;
}

/** A fresh container with every part of the program; each is created once, when first resolved. */
export function createContainer(parts: OpenParts): DependencyContainer {
  const program = container.createChildContainer();
  const value = <Part>(token: InjectionToken<Part>, useValue: Part) => program.register(token, { useValue });
  const make = <Part>(token: InjectionToken<Part>, factory: (resolve: Resolve) => Part) =>
    program.register(token, {
      useFactory: instancePerContainerCachingFactory((container) =>
        factory((token) => container.resolve(token)),
      ),
    });

  value(TOKENS.settings, parts.settings);
  value(TOKENS.log, parts.log);
  value(TOKENS.metrics, parts.metrics);
  value(TOKENS.storage, parts.storage);
  value(TOKENS.keys, parts.keys);
  value(TOKENS.stopping, parts.stopping);
  make(TOKENS.guard, (resolve) => new Guard(resolve(TOKENS.storage), resolve(TOKENS.log)));
  make(TOKENS.pets, (resolve) => {
    const { pets } = resolve(TOKENS.storage);
    const guarded = new GuardedPets(pets, resolve(TOKENS.guard), resolve(TOKENS.metrics));
    return resolve(TOKENS.settings).PETSTORE_READ_ONLY === "true" ? new ReadOnlyPets(guarded) : guarded;
  });
  make(TOKENS.listPets, (resolve) => new ListPets(resolve(TOKENS.pets)));
  make(TOKENS.createPet, (resolve) => new CreatePet(resolve(TOKENS.pets)));
  make(TOKENS.getPet, (resolve) => new GetPet(resolve(TOKENS.pets)));
  make(TOKENS.app, (resolve) => {
    const settings = resolve(TOKENS.settings);
    return createApp({
      pets: {
        listPets: resolve(TOKENS.listPets),
        createPet: resolve(TOKENS.createPet),
        getPet: resolve(TOKENS.getPet),
      },
      keys: resolve(TOKENS.keys),
      log: resolve(TOKENS.log),
      metrics: resolve(TOKENS.metrics),
      settings,
    });
  });
  make(TOKENS.admin, (resolve) =>
    createAdminApp({
      findUnready: async () => {
        if (resolve(TOKENS.stopping).aborted) return "shutting_down";
        return (await resolve(TOKENS.guard).ping()) === undefined ? undefined : "storage_unavailable";
      },
      metrics: resolve(TOKENS.metrics),
      build: { version: readVersion(), node: process.version },
      isReadOnly: resolve(TOKENS.settings).PETSTORE_READ_ONLY === "true",
      log: resolve(TOKENS.log),
    }),
  );
  return program;
}

type Resolve = <Part>(token: InjectionToken<Part>) => Part;
