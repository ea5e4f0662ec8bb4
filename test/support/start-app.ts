import type Koa from "koa";
import { pino } from "pino";
import type { DependencyContainer } from "tsyringe";
import { listen } from "../../src/adapters/http/listen.js";
import type { HttpServer, TIMEOUTS } from "../../src/adapters/http/server.js";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { PrometheusMetrics } from "../../src/adapters/metrics/prometheus-metrics.js";
import type { ApiKey, KeyVerifier } from "../../src/application/ports/key-verifier.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import type { Storage } from "../../src/application/storage-adapter.js";
import { createContainer, type Opened, TOKENS } from "../../src/container.js";
import { readSettings, type Settings } from "../../src/settings.js";

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

  names(): string[] {
    return [...this.keys.keys()];
  }

  expire(secret: string): void {
    this.keys.set(secret, { name: secret, id: secret, isExpired: true });
  }
}

export function storageOver(pets: PetRepository = new MemoryPetRepository()): Storage {
  return { pets, ping: async () => {}, close: async () => {} };
}

/** The program as `serve.ts` composes it, without a socket. */
export interface BuiltApp {
  readonly app: Koa;
  readonly adminApp: Koa;
  readonly program: DependencyContainer;
  readonly storage: Storage;
  /** Resolves to the value of a series, or to the sum of a metric's series; undefined if there is none. */
  metric(series: string): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface StartedApp extends BuiltApp {
  readonly server: HttpServer;
  readonly origin: string;
  readonly port: number;
}

export interface AppOptions extends Partial<Omit<Opened, "settings">> {
  /** The settings that differ from the defaults. */
  readonly settings?: Partial<Settings>;
  readonly timeouts?: Partial<typeof TIMEOUTS>;
}

const DEFAULTS = readSettings({});

/** Builds the program through its container, on memory by default. */
export function buildApp(options: AppOptions = {}): BuiltApp {
  const settings = { ...DEFAULTS, ...options.settings };
  const metrics = new PrometheusMetrics("1.2.3", settings.readOnly);
  const opened: Opened = {
    version: "1.2.3",
    log: pino({ level: "silent" }),
    metrics,
    keys: new FixedKeys(API_KEY),
    storage: storageOver(),
    stopping: new AbortController().signal,
    ...options,
    settings,
  };
  const program = createContainer(opened);
  program.register(TOKENS.timeouts, {
    useValue: { ...program.resolve(TOKENS.timeouts), ...options.timeouts },
  });
  const { storage } = opened;
  return {
    program,
    storage,
    app: program.resolve(TOKENS.app),
    adminApp: program.resolve(TOKENS.adminApp),
    async metric(series) {
      const { text } = await opened.metrics.read();
      const values = text.split("\n").flatMap((line) => {
        const [, name, labels, value] = /^([^#\s{]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
        return name === series || `${name}${labels}` === series ? [Number(value)] : [];
      });
      return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value);
    },
    async close() {
      program.resolve(TOKENS.guard).close();
      await storage.close();
    },
  };
}

/** Runs a suite on the application, with an empty memory storage for each test. */
export function describeApp(title: string, suite: (app: () => BuiltApp) => void): void {
  describe(title, () => {
    let built: BuiltApp;
    beforeEach(() => {
      built = buildApp();
    });
    suite(() => built);
  });
}

export async function startApp(options: AppOptions = {}): Promise<StartedApp> {
  const built = buildApp(options);
  const server = built.program.resolve(TOKENS.server);
  const { address: origin } = await listen(server, {
    host: "127.0.0.1",
    port: 0,
    settings: ["HOST", "PORT"],
  });
  return {
    ...built,
    server,
    origin,
    port: Number(new URL(origin).port),
    async close() {
      server.close();
      for (const socket of server.responses.keys()) socket.destroy();
      await built.close();
    },
  };
}
