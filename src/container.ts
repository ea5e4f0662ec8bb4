import "reflect-metadata";
import type { Server } from "node:http";
import type { Logger } from "pino";
import {
  type InjectionToken,
  instancePerContainerCachingFactory as once,
  container as tsyringe,
} from "tsyringe";
import { createApp, type PetstoreApp } from "./adapters/http/app.js";
import { createHttpServer } from "./adapters/http/server.js";
import { FileKeyVerifier } from "./adapters/keys/file-key-verifier.js";
import { CreatePet } from "./application/create-pet.js";
import { GetPet } from "./application/get-pet.js";
import { ListPets } from "./application/list-pets.js";
import type { KeyVerifier } from "./application/ports/key-verifier.js";
import type { PetRepository } from "./application/ports/pet-repository.js";
import type { Settings, StorageScheme } from "./config.js";

/** The storage switch: opens the storage of a scheme, and loads its driver only then. */
const STORAGES: Record<StorageScheme, (url: string, log: Logger) => Promise<PetRepository>> = {
  memory: async () => {
    const { MemoryPetRepository } = await import("./adapters/memory/memory-pet-repository.js");
    return new MemoryPetRepository();
  },
  sqlite: async (url) => {
    const { SqlitePetRepository } = await import("./adapters/sqlite/sqlite-pet-repository.js");
    return SqlitePetRepository.open(url.slice("sqlite:".length));
  },
  mongodb: openMongodb,
  "mongodb+srv": openMongodb,
};

async function openMongodb(url: string, log: Logger): Promise<PetRepository> {
  const { MongodbPetRepository } = await import("./adapters/mongodb/mongodb-pet-repository.js");
  return MongodbPetRepository.open(url, log);
}

const TOKENS = {
  petRepository: Symbol("PetRepository") as InjectionToken<PetRepository>,
  keyVerifier: Symbol("KeyVerifier") as InjectionToken<KeyVerifier>,
  listPets: Symbol("ListPets") as InjectionToken<ListPets>,
  createPet: Symbol("CreatePet") as InjectionToken<CreatePet>,
  getPet: Symbol("GetPet") as InjectionToken<GetPet>,
  app: Symbol("App") as InjectionToken<PetstoreApp>,
  server: Symbol("Server") as InjectionToken<Server>,
};

/** The program, built and not yet listening. */
export interface Petstore {
  readonly app: PetstoreApp;
  readonly server: Server;
  /** Closes what the program holds open, in reverse order; to be called once the server is closed. */
  close(): Promise<void>;
}

/** @throws Error that says what to correct, where the storage or the keys cannot be opened. */
export async function buildPetstore(settings: Settings, log: Logger): Promise<Petstore> {
  const { PETSTORE_STORAGE: storage, PETSTORE_KEYS_FILE: keysFile, PETSTORE_API_KEY: apiKey } = settings;
  const keyVerifier = await FileKeyVerifier.open(keysFile, apiKey, log);
  const scheme = storage.slice(0, storage.indexOf(":")) as StorageScheme;
  const petRepository = await STORAGES[scheme](storage, log).catch((error) => {
    keyVerifier.close();
    throw error;
  });

  const container = tsyringe.createChildContainer();
  container.register(TOKENS.petRepository, { useValue: petRepository });
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
        getPetServed: settings.PETSTORE_GET_PET === "served",
        log,
      }),
    ),
  });
  container.register(TOKENS.server, { useFactory: once((c) => createHttpServer(c.resolve(TOKENS.app))) });

  // Everything is resolved here, so that a missing wire fails the start.
  for (const token of Object.values(TOKENS)) container.resolve<unknown>(token);
  return {
    app: container.resolve(TOKENS.app),
    server: container.resolve(TOKENS.server),
    async close() {
      await petRepository.close();
      keyVerifier.close();
    },
  };
}
