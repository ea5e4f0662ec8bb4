import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createKeysFile } from "../../../src/adapters/keys/change-keys-file.js";
import { readSettings } from "../../../src/settings/settings.js";
import { SettingsError } from "../../../src/settings/settings-error.js";
import { BUILT_IN_STORAGES } from "../../../src/storages/built-in.js";
import { openMongodb } from "../../support/open-storages.js";
import { makeFolder } from "../../support/temporary-folder.js";

/** Builds the whole program in a process of its own, and prints whether the driver was loaded, and its readings. */
const SCRIPT = `
  import { createRequire } from "node:module";
  import { pino } from ${JSON.stringify(import.meta.resolve("pino"))};
  import { readSettings } from ${JSON.stringify(import.meta.resolve("../../../src/settings/settings.js"))};
  import { BUILT_IN_STORAGES } from ${JSON.stringify(import.meta.resolve("../../../src/storages/built-in.js"))};
  import { buildPetstore } from ${JSON.stringify(import.meta.resolve("../../../src/container.js"))};
  const petstore = await buildPetstore(readSettings(process.env, BUILT_IN_STORAGES), pino({ level: "silent" }));
  const loaded = Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache);
  const driver = loaded.some((path) => /node_modules.mongodb./.test(path));
  const { text } = await petstore.metrics.read();
  console.log(JSON.stringify({ driver, readings: text.match(/^petstore_mongodb_[a-z_]+/gm) ?? [] }));
  await petstore.close();`;

describe("MongoDB as the chosen storage", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });

  async function built(storage: string): Promise<{ driver: boolean; readings: string[] }> {
    const keysFile = join(folder, "keys.json");
    await createKeysFile(keysFile);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", SCRIPT],
      {
        env: { PETSTORE_STORAGE: storage, PETSTORE_KEYS_FILE: keysFile },
      },
    );
    return JSON.parse(stdout);
  }

  it("loads its driver and adds its readings to the metrics, and no other storage does either", async () => {
    const without = { driver: false, readings: [] };
    expect(await built("memory:")).to.deep.equal(without);
    expect(await built(`sqlite:${join(folder, "pets.db")}`)).to.deep.equal(without);
    expect(await built("mongodb://127.0.0.1:1/petstore_test")).to.deep.equal({
      driver: true,
      readings: [
        "petstore_mongodb_connections",
        "petstore_mongodb_connections_in_use",
        "petstore_mongodb_malformed_documents_total",
      ],
    });
  });

  const PASSWORD = "n0t-t0-be-sh0wn";
  const USER = `somebody:${PASSWORD}`;

  for (const url of [
    "mongodb://127.0.0.1",
    "mongodb://127.0.0.1:27017/?replicaSet=rs0",
    `mongodb://${USER}@a.example:27017,b.example,[::1]:27018/pets_1?authSource=admin&tls=true`,
    "mongodb://%2Ftmp%2Fmongodb.sock/petstore",
    `mongodb+srv://${USER}@cluster.example.org/petstore?appName=pets`,
  ]) {
    it(`accepts ${url}`, () => {
      expect(readSettings({ PETSTORE_STORAGE: url }, BUILT_IN_STORAGES).PETSTORE_STORAGE).to.equal(url);
    });
  }

  for (const url of [
    "mongodb:",
    "mongodb://",
    `mongodb://${USER}@`,
    `mongodb://${USER}/1@127.0.0.1/petstore`,
    `mongodb://${USER}@127.0.0.1/pet.store`,
    `mongodb://${USER}@127.0.0.1/${"p".repeat(64)}`,
    `mongodb+srv://${USER}@127.0.0.1:27017/petstore`,
    `mongodb+srv://${USER}@a.example,b.example/petstore`,
    `mongodbs://${USER}@127.0.0.1/petstore`,
  ]) {
    it(`refuses ${url}`, () => {
      expect(() => readSettings({ PETSTORE_STORAGE: url }, BUILT_IN_STORAGES))
        .to.throw(SettingsError, /PETSTORE_STORAGE must be .*mongodb:\/\/HOST\/DATABASE/)
        .with.property("message")
        .that.does.not.include(PASSWORD);
    });
  }

  for (const url of [
    `mongodb://${USER}@127.0.0.1:65536/petstore`,
    `mongodb://${USER}@127.0.0.1/petstore?nosuch=1`,
    `mongodb://${USER}%@127.0.0.1/petstore`,
    `mongodb://${USER}@127.0.0.1/petstore?tls=true&tls=false`,
  ]) {
    it(`does not open ${url}, and names the setting`, async () => {
      const error = await openMongodb(url).catch((error) => error);
      expect(error).to.be.an("error");
      expect(error.constructor).to.equal(Error);
      expect(error.message).to.match(/^PETSTORE_STORAGE is not a MongoDB URL that the driver takes: ./);
      expect(error.message).to.not.include(PASSWORD);
    });
  }
});
