import { expect } from "chai";
import { faultOfStorage, findAdapter, maskStorage } from "../../src/settings/storage-rules.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";

describe("the storages that are built in", () => {
  it("are version 1 of the interface, each under schemes of its own", () => {
    const { adapters } = BUILT_IN_STORAGES;
    expect(adapters.map(({ api }) => api)).to.deep.equal(adapters.map(() => 1));
    const schemes = adapters.flatMap(({ schemes }) => schemes);
    expect(schemes).to.deep.equal(["memory", "sqlite", "mongodb", "mongodb+srv"]);
  });

  it("say whether processes can share them, and whether pets outlive the process", () => {
    expect(
      BUILT_IN_STORAGES.adapters.map(({ form, shared, durable }) => ({ form, shared, durable })),
    ).to.deep.equal([
      { form: "memory:", shared: false, durable: false },
      { form: "sqlite:PATH", shared: true, durable: true },
      { form: "mongodb://HOST/DATABASE", shared: true, durable: true },
    ]);
  });

  it("accept the default URL", () => {
    const { defaultUrl } = BUILT_IN_STORAGES;
    expect(faultOfStorage(defaultUrl, BUILT_IN_STORAGES)).to.equal(undefined);
    expect(findAdapter(defaultUrl, BUILT_IN_STORAGES)?.durable).to.equal(true);
  });

  for (const url of [
    "memory:",
    "sqlite:x",
    "sqlite:/var/lib/pets.db",
    "sqlite:C:\\pets.db",
    "sqlite:a b?c#d",
    "mongodb://localhost",
    "mongodb://user:pass%2Fword@a:27017,b:27018/petstore?replicaSet=rs0",
    "mongodb+srv://cluster.example.org/petstore",
  ]) {
    it(`take ${url}`, () => expect(faultOfStorage(url, BUILT_IN_STORAGES)).to.equal(undefined));
  }

  const MEMORY = "must have nothing after the colon, e.g. memory:";
  const SQLITE = "must have the path of a file, e.g. sqlite:./data/petstore.db";
  const MONGODB = /^must be mongodb:\/\/HOST\/DATABASE .*, e\.g\. mongodb:\/\/127\.0\.0\.1:27017\/petstore$/;
  const UNKNOWN = "must be memory:, sqlite:PATH or mongodb://HOST/DATABASE, e.g. sqlite:./data/petstore.db";

  for (const [url, rule] of [
    ["", UNKNOWN],
    ["memory", UNKNOWN],
    ["memory:x", MEMORY],
    ["sqlite:", SQLITE],
    ["sqlite", UNKNOWN],
    ["sqlite::memory:", SQLITE],
    ["sqlite:file:x?mode=memory", SQLITE],
    ["SQLITE:x", UNKNOWN],
    ["postgres://db/x", UNKNOWN],
    ["mongodb:", MONGODB],
    ["mongodb://", MONGODB],
    ["mongodb:///petstore", MONGODB],
    ["mongodb://user:pass/word@host/petstore", MONGODB],
    ["mongodb+srv://host:27017/petstore", MONGODB],
  ] as const) {
    it(`refuse ${JSON.stringify(url)}, and say the rule`, () => {
      expect(faultOfStorage(url, BUILT_IN_STORAGES)).to.match(
        rule instanceof RegExp ? rule : new RegExp(`^${rule.replace(/[.+/]/g, "\\$&")}$`),
      );
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
    [
      "mongodb://host/?authMechanismProperties=AWS_SESSION_TOKEN:secret",
      "mongodb://host/?authMechanismProperties=***",
    ],
  ] as const) {
    it(`show ${url} as ${masked}`, () => expect(maskStorage(url, BUILT_IN_STORAGES)).to.equal(masked));
  }
});
