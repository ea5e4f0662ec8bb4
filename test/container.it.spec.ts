import "reflect-metadata";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { pino } from "pino";
import type { DependencyContainer } from "tsyringe";
import { createKeysFile } from "../src/adapters/keys/change-keys-file.js";
import { MemoryPetRepository } from "../src/adapters/memory/memory-pet-repository.js";
import { buildPetstore, type Petstore, TOKENS } from "../src/container.js";
import { storageUnavailable } from "../src/domain/errors.js";
import { readSettings } from "../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../src/storages/built-in.js";
import { captureLog } from "./support/captured-log.js";
import { get } from "./support/client.js";
import { inEmptyFolder } from "./support/in-empty-folder.js";
import { API_KEY, FixedKeys, storageOf } from "./support/start-app.js";

const SILENT = pino({ level: "silent" });

describe("buildPetstore", () => {
  const folder = inEmptyFolder();
  let keysFile: string;
  let built: Petstore[];

  beforeEach(async () => {
    keysFile = join(folder(), "keys.json");
    await createKeysFile(keysFile, async () => true);
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
    const read = readSettings(environment(settings), BUILT_IN_STORAGES);
    const petstore = await buildPetstore(read, log, override);
    built.push(petstore);
    return petstore;
  }

  it("believes the proxies that the settings name", async () => {
    const { log, lines } = captureLog();
    const petstore = await build({ PETSTORE_TRUST_PROXY: "loopback" }, undefined, log);
    await get(petstore, "/v1/pets", { headers: { "X-Forwarded-For": "192.0.2.7" } });
    expect(lines.map(({ client }) => client)).to.deep.equal(["192.0.2.7"]);
  });

  it("loads a storage's driver, and has its readings among the metrics, only if that storage is picked", async () => {
    const script = `
      import { createRequire } from "node:module";
      import { pino } from ${JSON.stringify(import.meta.resolve("pino"))};
      import { readSettings } from ${JSON.stringify(import.meta.resolve("../src/settings/settings.js"))};
      import { BUILT_IN_STORAGES } from ${JSON.stringify(import.meta.resolve("../src/storages/built-in.js"))};
      import { buildPetstore } from ${JSON.stringify(import.meta.resolve("../src/container.js"))};
      const settings = readSettings(process.env, BUILT_IN_STORAGES);
      const petstore = await buildPetstore(settings, pino({ level: "silent" }));
      const loaded = [...process.report.getReport().sharedObjects, ...Object.keys(createRequire("/").cache)].join();
      const drivers = ["@photostructure/sqlite", "mongodb"].filter((name) => loaded.includes("node_modules/" + name + "/"));
      const { text } = await petstore.metrics.read();
      console.log(JSON.stringify([...drivers, ...(text.match(/^petstore_mongodb_[a-z_]+/gm) ?? [])]));
      await petstore.close();`;
    async function added(storage: string): Promise<string[]> {
      const env = environment({ PETSTORE_STORAGE: storage });
      const args = ["--input-type=module", "--eval", script];
      return JSON.parse((await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 })).stdout);
    }
    expect(await added("memory:")).to.deep.equal([]);
    expect(await added(`sqlite:${join(folder(), "pets.db")}`)).to.deep.equal(["@photostructure/sqlite"]);
    expect(await added("mongodb://127.0.0.1:1/petstore_test")).to.deep.equal([
      "mongodb",
      "petstore_mongodb_malformed_documents_total",
    ]);
  });

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
        const fault = new Error("the storage does not close");
        const storage = closing("storage", storageOf(new MemoryPetRepository()), fault);
        program.register(TOKENS.keyVerifier, { useValue: keys });
        program.register(TOKENS.storage, { useValue: storage });
        const fail = () => expect.fail("no application");
        program.register(TOKENS.app, { useFactory: fail });
      }).catch((error: Error) => error);
      expect((failure as Error).message).to.equal("no application");
      expect(closed).to.deep.equal(["storage", "keys"]);
    });
  });
});
