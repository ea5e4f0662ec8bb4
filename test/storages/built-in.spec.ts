import { expect } from "chai";
import { STORAGE_API, STORAGE_PORTS } from "../../src/application/ports/storage.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";
import { faultOfStorage, findAdapter } from "../../src/storages/known-storages.js";
import { maskUrl } from "../../src/storages/mask-url.js";

const USER = "somebody:secret";

describe("the storages that are built in", () => {
  it("are of the newest version of the interface, each under schemes of its own, and say what they can do", () => {
    const known = BUILT_IN_STORAGES.adapters.map(({ api, schemes, form, shared, durable }) => [
      ...[api, schemes.join(), form],
      ...[shared ? "shared" : "alone", durable ? "durable" : "passing"],
    ]);
    expect(known).to.deep.equal([
      [STORAGE_API, "memory", "memory:", "alone", "passing"],
      [STORAGE_API, "sqlite", "sqlite:PATH", "shared", "durable"],
      [STORAGE_API, "mongodb,mongodb+srv", "mongodb://HOST/DATABASE", "shared", "durable"],
    ]);
  });

  /** What each port of this version of the interface has. A storage that was written for it lacks anything else. */
  const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
    pets: ["create", "get", "list"],
    archive: ["readPets", "storePets", "countPets", "highestId", "raiseIds"],
  };

  it("get another version of the interface with each operation that is added to a port or goes", () => {
    expect(STORAGE_API, "a new number needs a new list of operations").to.equal(2);
    for (const [port, operations] of Object.entries(STORAGE_PORTS)) {
      expect(Object.keys(operations), `${port}: raise STORAGE_API, or list a new port here`).to.have.members(
        OPERATIONS[port] ?? [],
      );
    }
  });

  for (const url of [
    "memory:",
    "sqlite:x",
    "sqlite:/var/lib/pets.db",
    "sqlite:C:\\pets.db",
    "sqlite:a b?c#d",
    "mongodb://localhost",
    "mongodb://127.0.0.1:27017/?replicaSet=rs0",
    `mongodb://${USER}@a.example:27017,b.example,[::1]:27018/pets_1?authSource=admin&tls=true`,
    "mongodb://%2Ftmp%2Fmongodb.sock/petstore",
    `mongodb+srv://${USER}@cluster.example.org/petstore?appName=pets`,
  ]) {
    it(`take ${url}`, () => expect(faultOfStorage(url, BUILT_IN_STORAGES)).to.equal(undefined));
  }

  const MEMORY = "must have nothing after the colon, e.g. memory:";
  const SQLITE = "must have the path of a file, e.g. sqlite:./data/petstore.db";
  const MONGODB = /^must be mongodb:\/\/HOST\/DATABASE .*, e\.g\. mongodb:\/\/127\.0\.0\.1:27017\/petstore$/;
  const DRIVER = /^must be a URL that the driver takes: ./;
  const UNKNOWN = "must be memory:, sqlite:PATH or mongodb://HOST/DATABASE, e.g. sqlite:./data/petstore.db";

  for (const [url, rule] of [
    ["", UNKNOWN],
    ["memory", UNKNOWN],
    ["memory:x", MEMORY],
    ["sqlite:", SQLITE],
    ["sqlite", UNKNOWN],
    ["sqlite::memory:", SQLITE],
    ["sqlite:./data/petstore.db\r", SQLITE],
    ["sqlite:file:x?mode=memory", SQLITE],
    ["SQLITE:x", UNKNOWN],
    ["postgres://db/x", UNKNOWN],
    ["mongodb:", MONGODB],
    ["mongodb://", MONGODB],
    [`mongodb://${USER}@`, MONGODB],
    [`mongodb://${USER}/1@127.0.0.1/petstore`, MONGODB],
    [`mongodb://${USER}@127.0.0.1/pet.store`, MONGODB],
    [`mongodb://${USER}@127.0.0.1/${"p".repeat(64)}`, MONGODB],
    [`mongodb+srv://${USER}@127.0.0.1:27017/petstore`, MONGODB],
    [`mongodb+srv://${USER}@a.example,b.example/petstore`, MONGODB],
    [`mongodb://${USER}@127.0.0.1:65536/petstore`, DRIVER],
    [`mongodb://${USER}@127.0.0.1/petstore?nosuch=1`, DRIVER],
    [`mongodb://${USER}%@127.0.0.1/petstore`, DRIVER],
    [`mongodb://${USER}@127.0.0.1/petstore?tls=true&tls=false`, DRIVER],
    [`mongodbs://${USER}@127.0.0.1/petstore`, UNKNOWN],
  ] as const) {
    it(`refuse ${JSON.stringify(url)}, and say the rule`, () => {
      const fault = faultOfStorage(url, BUILT_IN_STORAGES);
      if (rule instanceof RegExp) expect(fault).to.match(rule).and.not.include("secret");
      else expect(fault).to.equal(rule);
    });
  }

  for (const [url, masked] of [
    ["sqlite:./data/a:b@c.db", "sqlite:./data/a:b@c.db"],
    ["mongodb://user:secret@one:1,two:2/pets?w=1", "mongodb://user:***@one:1,two:2/pets?w=1"],
    ["mongodb+srv://user:se:c@ret/@host/pets", "mongodb+srv://user:***@host/pets"],
    [
      "mongodb://host/?tlsCertificateKeyFilePassword=secret&proxyPassword=secret&w=1",
      "mongodb://host/?tlsCertificateKeyFilePassword=***&proxyPassword=***&w=1",
    ],
    ["mongodb://h/?passphrase=word&awsSessionToken=word", "mongodb://h/?passphrase=***&awsSessionToken=***"],
    ["mongodb://h/?authMechanismProperties=AWS_TOKEN:secret", "mongodb://h/?authMechanismProperties=***"],
  ] as const) {
    it(`show ${url} as ${masked}`, () =>
      expect(maskUrl(findAdapter(url, BUILT_IN_STORAGES), url)).to.equal(masked));
  }
});
