import type Koa from "koa";
import { pino } from "pino";
import {
  type AppDependencies,
  createApp,
  type AppOptions as HttpOptions,
} from "../../src/adapters/http/app.js";
import { listen } from "../../src/adapters/http/listen.js";
import type { FinishedRequest, RequestMetrics } from "../../src/adapters/http/request-metrics.js";
import { createHttpServer, type HttpServer, TIMEOUTS } from "../../src/adapters/http/server.js";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CreatePet } from "../../src/application/create-pet.js";
import { GetPet } from "../../src/application/get-pet.js";
import { ListPets } from "../../src/application/list-pets.js";
import type { ApiKey, KeyVerifier } from "../../src/application/ports/key-verifier.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import type { Storage } from "../../src/application/storage-adapter.js";

/** The one key that the service accepts by default. */
export const API_KEY = "petstore_test-key";

/** Accepts a fixed set of keys. The text of each key is its name. */
export class FixedKeys implements KeyVerifier {
  private readonly keys: Map<string, ApiKey>;

  constructor(...secrets: string[]) {
    this.keys = new Map(secrets.map((secret) => [secret, { name: secret, id: secret, isExpired: false }]));
  }

  find(secret: string): ApiKey | undefined {
    return this.keys.get(secret);
  }

  names(): readonly string[] {
    return [...this.keys.values()].map(({ name }) => name);
  }

  expire(secret: string): void {
    this.keys.set(secret, { name: secret, id: secret, isExpired: true });
  }

  revoke(secret: string): void {
    this.keys.delete(secret);
  }
}

/** Keeps what the application reports. */
export class RecordedRequests implements RequestMetrics {
  inFlight = 0;
  readonly finished: FinishedRequest[] = [];
  readonly rejected: { status: number; code: string }[] = [];

  requestStarted(): void {
    this.inFlight += 1;
  }

  requestFinished(request: FinishedRequest): void {
    this.inFlight -= 1;
    this.finished.push(request);
  }

  requestRejected({ status, code }: { status: number; code: string }): void {
    this.rejected.push({ status, code });
  }
}

/** The application over a repository, without a guard and without a socket. */
export interface BuiltApp {
  readonly app: Koa;
  readonly repository: PetRepository;
  readonly requests: RecordedRequests;
  close(): Promise<void>;
}

/** The application behind a socket. */
export interface StartedApp extends BuiltApp {
  readonly server: HttpServer;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly port: number;
}

export interface AppOptions extends Partial<HttpOptions>, Partial<Pick<AppDependencies, "keys" | "log">> {
  readonly repository?: PetRepository;
  /** In place of `repository`; it is closed with the application. */
  readonly storage?: Storage;
  readonly timeouts?: Partial<typeof TIMEOUTS>;
  readonly maxConnections?: number;
}

/** Builds the application on memory, if nothing else is given. */
export function buildApp(options: AppOptions = {}): BuiltApp {
  const { storage, keys = new FixedKeys(API_KEY), log = pino({ level: "silent" }), ...http } = options;
  const repository = storage?.pets ?? options.repository ?? new MemoryPetRepository();
  const requests = new RecordedRequests();
  const app = createApp({
    pets: {
      listPets: new ListPets(repository),
      createPet: new CreatePet(repository),
      getPet: new GetPet(repository),
    },
    keys,
    log,
    metrics: requests,
    options: { maxInFlight: 1000, getPet: "served", ...http },
  });
  return { app, repository, requests, close: async () => storage?.close() };
}

/** Runs a suite on the application, on memory, made anew and empty for each test. */
export function describeApp(title: string, suite: (app: () => BuiltApp) => void): void {
  describe(title, () => {
    let built: BuiltApp;
    beforeEach(() => {
      built = buildApp();
    });
    suite(() => built);
  });
}

/** Serves what `buildApp` builds at a free port. */
export async function startApp(options: AppOptions = {}): Promise<StartedApp> {
  const built = buildApp(options);
  const server = createHttpServer(built.app, {
    maxConnections: options.maxConnections ?? 1000,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    requestRejected(request) {
      built.requests.requestRejected(request);
      options.log?.info(request, "request refused");
    },
  });
  const origin = await listen(server, { host: "127.0.0.1", port: 0, settings: ["HOST", "PORT"] });
  return {
    ...built,
    server,
    origin,
    port: Number(new URL(origin).port),
    async close() {
      server.close();
      server.closeAllConnections();
      await built.close();
    },
  };
}
