import { expect } from "chai";
import { pino } from "pino";
import type { Ports } from "../../src/adapters/guard/around.js";
import type { Circuit } from "../../src/adapters/guard/circuit.js";
import type { AppDependencies } from "../../src/adapters/http/app.js";
import type { Route } from "../../src/adapters/http/context.js";
import { TIMEOUTS } from "../../src/adapters/http/server/http-server.js";
import memory from "../../src/adapters/memory/storage.js";
import type { ApiKey, KeyVerifier } from "../../src/application/ports/key-verifier.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { SILENT_CONTEXT, type Storage } from "../../src/application/ports/storage.js";
import { buildPetstore, type Petstore, TOKENS } from "../../src/container.js";
import { readSettings, type Settings } from "../../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";

/** The one key that `FixedKeys` accepts by default. */
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

  revoke(secret: string): void {
    this.keys.delete(secret);
  }
}

/** The program, which answers the requests of `client.ts` without a socket. */
export interface BuiltApp extends Pick<Petstore, "app" | "metrics" | "listen" | "close"> {
  readonly repository: PetRepository;
  readonly storage: Storage;
  readonly routes: readonly Route[];
  /** As the use cases get them. */
  readonly ports: Ports;
}

/** The program behind a socket. */
export interface StartedApp extends BuiltApp {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly port: number;
}

export interface AppOptions extends Partial<Omit<AppDependencies, "resources" | "maxInFlight">> {
  /** In a storage that is always well; only if no `storage` is given. */
  readonly repository?: PetRepository;
  readonly storage?: Storage;
  readonly timeouts?: Partial<typeof TIMEOUTS>;
  readonly limits?: { readonly inFlight?: number; readonly connections?: number };
  readonly publicUrl?: string;
  readonly getPetServed?: boolean;
  readonly readOnly?: boolean;
  /** In place of the one that the program makes. */
  readonly circuit?: Circuit;
}

/** The default settings but for a free port, without a keys file, which would have to exist. */
const SETTINGS = readSettings({ PETSTORE_STORAGE: "memory:", PETSTORE_PORT: "0" }, BUILT_IN_STORAGES);

/** A storage that is always well. */
export function storageOf<Pets extends PetRepository>(pets: Pets) {
  return { pets, async ping() {}, async close() {} };
}

/** Serves the program over a real socket, on the memory storage if no other is given. */
export async function startApp(options?: AppOptions): Promise<StartedApp> {
  const built = await buildApp(options);
  const origin = await built.listen();
  return { ...built, origin, port: Number(new URL(origin).port) };
}

/** Builds the program without a socket, on the memory storage if no other is given. */
export async function buildApp({
  repository,
  storage: given = repository && storageOf(repository),
  keyVerifier = new FixedKeys(API_KEY),
  log = pino({ level: "silent" }),
  getPetServed = true,
  ...options
}: AppOptions = {}): Promise<BuiltApp> {
  const { publicUrl, limits, timeouts, clientAddress, corsOrigins, limitRate, readOnly, circuit } = options;
  const settings: Settings = {
    ...SETTINGS,
    PETSTORE_PUBLIC_URL: publicUrl,
    PETSTORE_CORS_ORIGINS: corsOrigins && [...corsOrigins],
    PETSTORE_GET_PET: getPetServed ? "served" : "removed",
    PETSTORE_READ_ONLY: readOnly ?? false,
    PETSTORE_MAX_IN_FLIGHT: limits?.inFlight ?? Infinity,
    PETSTORE_MAX_CONNECTIONS: limits?.connections ?? 500,
  };
  const storage = given ?? (await memory.open("memory:", SILENT_CONTEXT));
  let parts = (): Pick<BuiltApp, "routes" | "ports"> => expect.fail("not built yet");
  const { app, metrics, close, listen } = await buildPetstore(settings, log, (program) => {
    parts = () => ({
      routes: program.resolve(TOKENS.resources).flat(),
      ports: program.resolve(TOKENS.ports),
    });
    if (circuit) program.register(TOKENS.circuit, { useValue: circuit });
    program.register(TOKENS.storage, { useValue: storage });
    program.register(TOKENS.keyVerifier, { useValue: keyVerifier });
    program.register(TOKENS.timeouts, { useValue: { ...TIMEOUTS, ...timeouts } });
    program.register(TOKENS.options, { useValue: { clientAddress, limitRate } });
  });
  return { app, metrics, repository: storage.pets, storage, ...parts(), close, listen };
}
