import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { type AppDependencies, createApp, type PetstoreApp } from "../../src/adapters/http/app.js";
import { createHttpServer, TIMEOUTS } from "../../src/adapters/http/server/http-server.js";
import type { LoadLimits } from "../../src/adapters/http/server/shed-load.js";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CreatePet } from "../../src/application/create-pet.js";
import { GetPet } from "../../src/application/get-pet.js";
import { ListPets } from "../../src/application/list-pets.js";
import type { AcceptedKey, KeyVerifier } from "../../src/application/ports/key-verifier.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";

/** The one key that `FixedKeys` accepts unless it is told others. */
export const API_KEY = "petstore_test-key";

/** Accepts a fixed set of keys, each under its own text as name. */
export class FixedKeys implements KeyVerifier {
  private readonly keys: Map<string, AcceptedKey>;

  constructor(...secrets: string[]) {
    this.keys = new Map(secrets.map((secret) => [secret, { name: secret, id: secret }]));
  }

  verify(secret: string): AcceptedKey | undefined {
    return this.keys.get(secret);
  }

  stillAccepts(key: AcceptedKey): boolean {
    return this.keys.has(key.name);
  }

  revoke(secret: string): void {
    this.keys.delete(secret);
  }
}

const NO_LIMITS: LoadLimits = { inFlight: Infinity, connections: Infinity };

export interface StartedApp {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly port: number;
  readonly app: PetstoreApp;
  readonly repository: PetRepository;
  /** Ends the service and its storage. */
  close(): Promise<void>;
  /** Ends the service alone. */
  closeServer(): Promise<void>;
}

export interface AppOptions extends Partial<AppDependencies> {
  readonly repository?: PetRepository;
  readonly timeouts?: Partial<typeof TIMEOUTS>;
  readonly limits?: LoadLimits;
}

/** Serves the application over a real socket, on the memory storage where nothing else is given. */
export async function startApp({
  repository,
  timeouts,
  limits,
  ...rest
}: AppOptions = {}): Promise<StartedApp> {
  const pets = repository ?? new MemoryPetRepository();
  const app = createApp({
    listPets: new ListPets(pets),
    createPet: new CreatePet(pets),
    getPet: new GetPet(pets),
    keyVerifier: new FixedKeys(API_KEY),
    publicUrl: undefined,
    getPetServed: true,
    log: pino({ level: "silent" }),
    observer: { requestStarted() {}, requestFinished() {}, requestRefused() {}, requestShed() {} },
    ...rest,
  });
  const server = createHttpServer(app, limits ?? NO_LIMITS, { ...TIMEOUTS, ...timeouts });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  async function closeServer(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    app,
    repository: pets,
    closeServer,
    async close() {
      await closeServer();
      await pets.close();
    },
  };
}
