import "reflect-metadata";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { pino } from "pino";
import { type DependencyContainer, container as globalContainer } from "tsyringe";
import { createKeysFile } from "../src/adapters/keys/change-keys-file.js";
import { MemoryPetRepository } from "../src/adapters/memory/memory-pet-repository.js";
import { buildPetstore, type Petstore, TOKENS } from "../src/container.js";
import { storageUnavailable } from "../src/domain/errors.js";
import { readSettings } from "../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../src/storages/built-in.js";
import { captureLog } from "./support/captured-log.js";
import { get, post, type Served } from "./support/client.js";
import { until } from "./support/eventually.js";
import { inEmptyFolder } from "./support/in-empty-folder.js";
import { API_KEY, FixedKeys, storageOf } from "./support/start-app.js";

const SILENT = pino({ level: "silent" });
const REX = '{"name":"Rex","categoryId":7}';

/** Builds the program in a process of its own by the settings in its environment, and handles the promise of it by `then`. */
const inProcess = (then: string) => `
  import { pino } from ${JSON.stringify(import.meta.resolve("pino"))};
  import { readSettings } from ${JSON.stringify(import.meta.resolve("../src/settings/settings.js"))};
  import { BUILT_IN_STORAGES } from ${JSON.stringify(import.meta.resolve("../src/storages/built-in.js"))};
  import { buildPetstore, TOKENS } from ${JSON.stringify(import.meta.resolve("../src/container.js"))};
  const log = pino({ level: "silent" });
  const build = (override) => buildPetstore(readSettings(process.env, BUILT_IN_STORAGES), log, override);
  ${then}`;

describe("buildPetstore", () => {
  const folder = inEmptyFolder();
  let keysFile: string;
  let key: string;
  let built: Petstore[];

  beforeEach(async () => {
    keysFile = join(folder(), "keys.json");
    key = (await createKeysFile(keysFile)) as string;
    built = [];
  });
  afterEach(async () => {
    for (const { close } of built) await close();
  });

  const environment = (settings: Record<string, string>) => ({
    PETSTORE_STORAGE: "memory:",
    PETSTORE_KEYS_FILE: keysFile,
    PETSTORE_API_KEY: API_KEY,
    PETSTORE_PORT: "0",
    ...settings,
  });

  async function build(
    settings: Record<string, string> = {},
    override?: (program: DependencyContainer) => void,
    log = SILENT,
  ): Promise<Petstore> {
    const petstore = await buildPetstore(
      readSettings(environment(settings), BUILT_IN_STORAGES),
      log,
      override,
    );
    built.push(petstore);
    return petstore;
  }

  async function listening(petstore: Petstore): Promise<Served> {
    return { port: Number(new URL(await petstore.listen()).port) };
  }

  for (const storage of ["memory:", "sqlite:pets.db"]) {
    it(`wires the whole program on ${storage}, with the keys of the file and the additional one`, async () => {
      const app = await listening(
        await build({ PETSTORE_STORAGE: storage.replace("pets.db", join(folder(), "pets.db")) }),
      );
      const { status, text } = await post(app, REX, { key });
      expect({ status, text }).to.deep.equal({
        status: 201,
        text: '{"id":1,"name":"Rex","categoryId":7,"status":"available"}',
      });
      expect((await get(app, "/v1/pets/1")).text).to.equal(text);
      expect((await get(app, "/v1/pets")).text).to.equal(`[${text}]`);
      expect((await get(app, "/v1/pets", { key: null })).status).to.equal(401);
    });
  }

  it("hands the settings on: the origins of scripts, the proxies to believe, and whether getPet is removed", async () => {
    const { log, lines } = captureLog();
    const origin = "https://app.example.org";
    const settings = {
      PETSTORE_CORS_ORIGINS: origin,
      PETSTORE_TRUST_PROXY: "loopback",
      PETSTORE_GET_PET: "removed",
    };
    const app = await listening(await build(settings, undefined, log));
    const headers = { Origin: origin, "X-Forwarded-For": "192.0.2.7" };
    const answer = await get(app, "/v1/pets/1", { headers });
    expect(answer.status).to.equal(410);
    expect(answer.headers["access-control-allow-origin"]).to.equal(origin);
    await until(() => lines.some(({ client }) => client === "192.0.2.7"));
  });

  it("makes everything anew each time, in a container that nobody shares", async () => {
    const [first, second] = [await listening(await build()), await listening(await build())];
    await post(first, REX);
    expect((await get(second, "/v1/pets")).text).to.equal("[]");
  });

  it("registers in a container of its own, never the global one, and resolves every token at start", async () => {
    const registered = new Set<unknown>();
    const resolved = new Set<unknown>();
    const { createChildContainer, register } = globalContainer;
    globalContainer.register = () => expect.fail("registered in the global container");
    globalContainer.createChildContainer = () => {
      const child = createChildContainer.call(globalContainer);
      const { register, resolve } = child;
      child.register = ((token: symbol, ...rest: [never]) => {
        expect(registered.has(token), `${String(token)} is registered twice`).to.equal(false);
        registered.add(token);
        return register.call(child, token, ...rest);
      }) as typeof register;
      child.resolve = ((token: symbol) => {
        resolved.add(token);
        return resolve.call(child, token);
      }) as typeof resolve;
      return child;
    };
    try {
      await build();
    } finally {
      Object.assign(globalContainer, { createChildContainer, register });
    }
    expect(registered.size).to.be.greaterThan(6);
    expect([...resolved]).to.have.members([...registered]);
  });

  /** Runs a script that builds the program to its end, and gives what it prints. */
  async function run(then: string, storage: string): Promise<string> {
    const env = environment({ PETSTORE_STORAGE: storage });
    const script = ["--input-type=module", "--eval", inProcess(then)];
    return (await promisify(execFile)(process.execPath, script, { env, timeout: 60_000 })).stdout.trim();
  }

  it("loads a storage's driver, and has its readings among the metrics, only if that storage is picked", async () => {
    const script = `
      import { createRequire } from "node:module";
      const petstore = await build();
      const loaded = [...process.report.getReport().sharedObjects, ...Object.keys(createRequire("/").cache)].join();
      const drivers = ["@photostructure/sqlite", "mongodb"].filter((name) => loaded.includes("node_modules/" + name + "/"));
      const { text } = await petstore.metrics.read();
      console.log(JSON.stringify([...drivers, ...(text.match(/^petstore_mongodb_[a-z_]+/gm) ?? [])]));
      await petstore.close();`;
    const added = async (storage: string) => JSON.parse(await run(script, storage));
    expect(await added("memory:")).to.deep.equal([]);
    expect(await added(`sqlite:${join(folder(), "pets.db")}`)).to.deep.equal(["@photostructure/sqlite"]);
    expect(await added("mongodb://127.0.0.1:1/petstore_test")).to.deep.equal([
      "mongodb",
      "petstore_mongodb_malformed_documents_total",
    ]);
  });

  for (const storage of ["mongodb://127.0.0.1:1/petstore_test", "sqlite:pets.db"]) {
    it(`lets the process end if a part cannot be made after ${storage} is open`, async () => {
      const script = `
        const fail = () => { throw new Error("no application"); };
        await build((program) => program.register(TOKENS.app, { useFactory: fail }))
          .catch(({ message }) => console.log(message));`;
      const printed = await run(script, storage.replace("pets.db", join(folder(), "pets.db")));
      expect(printed).to.equal("no application");
    });
  }

  describe("closes", () => {
    let closed: string[];
    beforeEach(() => {
      closed = [];
    });

    /** Adds a close to a part that takes a moment, and notes the part's name. */
    function closing<Part extends object>(name: string, part: Part, fault?: Error): Part {
      return Object.assign(part, {
        async close() {
          await new Promise(setImmediate);
          closed.push(name);
          if (fault) throw fault;
        },
      });
    }

    it("the storage first and the keys last, each once, and asks a closed storage for nothing more", async () => {
      let askedLate = 0;
      const storage = storageOf(new MemoryPetRepository());
      storage.ping = async () => {
        if (closed.length > 0) askedLate++;
        throw storageUnavailable(new Error("away"));
      };
      const petstore = await build({}, (program) => {
        program.register(TOKENS.keyVerifier, { useValue: closing("keys", new FixedKeys()) });
        program.register(TOKENS.storage, { useValue: closing("storage", storage) });
      });
      await petstore.close();
      await petstore.close();
      expect(closed).to.deep.equal(["storage", "keys"]);
      await sleep(1200);
      expect(askedLate).to.equal(0);
    });

    it("the keys if it cannot open the storage, and names the remedy", async () => {
      writeFileSync(join(folder(), "pets.db"), "no database at all");
      const failure = await build({ PETSTORE_STORAGE: `sqlite:${join(folder(), "pets.db")}` }, (program) => {
        program.register(TOKENS.keyVerifier, { useValue: closing("keys", new FixedKeys()) });
      }).catch((error: Error) => error);
      expect((failure as Error).message).to.match(/no SQLite database; restore it from a backup/);
      expect(closed).to.deep.equal(["keys"]);
    });

    it("the open parts in reverse order if a part cannot be made, even if they do not close, and names the cause", async () => {
      const failure = await build({}, (program) => {
        const keys = closing("keys", new FixedKeys(), new Error("the keys do not close"));
        const storage = closing(
          "storage",
          storageOf(new MemoryPetRepository()),
          new Error("the storage does not close"),
        );
        program.register(TOKENS.keyVerifier, { useValue: keys });
        program.register(TOKENS.storage, { useValue: storage });
        program.register(TOKENS.app, {
          useFactory: () => {
            throw new Error("no application");
          },
        });
      }).catch((error: Error) => error);
      expect((failure as Error).message).to.equal("no application");
      expect(closed).to.deep.equal(["storage", "keys"]);
    });
  });

  it("makes a program that is ready once the storage answers and the keys are current", async () => {
    let [away, current] = [true, false];
    const storage = storageOf(new MemoryPetRepository());
    storage.ping = async () => {
      if (away) throw storageUnavailable(new Error("away"));
    };
    const keys = Object.assign(new FixedKeys(key), { isCurrent: () => current });
    const petstore = await build({}, (program) => {
      program.register(TOKENS.storage, { useValue: storage });
      program.register(TOKENS.keyVerifier, { useValue: keys });
    });
    expect(await petstore.findUnready()).to.equal("storage_unavailable");
    away = false;
    expect(await petstore.findUnready()).to.equal("keys_unreadable");
    current = true;
    expect(await petstore.findUnready()).to.equal(undefined);
  });
});
