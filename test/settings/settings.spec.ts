import { expect } from "chai";
import fc from "fast-check";
import proxyAddress from "proxy-addr";
import { STORAGE_API, type StorageAdapter } from "../../src/application/ports/storage.js";
import * as describing from "../../src/settings/describe-settings.js";
import * as reading from "../../src/settings/settings.js";
import { SettingsError } from "../../src/settings/settings-error.js";
import type { KnownStorages } from "../../src/storages/known-storages.js";

/** The description of a storage that does not exist. */
function described(scheme: string, form: string, facts: Partial<StorageAdapter> = {}): StorageAdapter {
  return {
    api: STORAGE_API,
    schemes: [scheme],
    form,
    shared: true,
    durable: true,
    check: (url) => (url === `${scheme}:` ? `must have something after ${scheme}:` : undefined),
    open: () => expect.fail("opened"),
    ...facts,
  };
}

const STORAGES: KnownStorages = {
  adapters: [
    described("acme", "acme:PATH"),
    described("alone", "alone:", { shared: false, check: () => undefined }),
    described("masked", "masked://HOST", { mask: (url) => url.replace(/key=.*/, "key=***") }),
  ],
  defaultUrl: "acme:pets",
  faults: [],
};

const readSettings = (environment: reading.Environment) => reading.readSettings(environment, STORAGES);
const describeSettings = (environment: reading.Environment) =>
  describing.describeSettings(environment, STORAGES);
const unknownSettings = (environment: reading.Environment) =>
  describing.unknownSettings(environment, STORAGES);

/** The message that refuses an environment; undefined if it is accepted. */
function refusal(environment: Record<string, string>): string | undefined {
  try {
    readSettings(environment);
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(SettingsError);
    return (error as Error).message;
  }
}

interface Setting {
  readonly byDefault?: unknown;
  readonly good: readonly string[];
  /** The result of reading each good value, if that is neither the text nor its number. */
  readonly readAs?: readonly unknown[];
  readonly bad: readonly string[];
  /** Its line in the message. */
  readonly rule: string;
}

const PORT = {
  good: ["0", "1", "8080", "65535", "00080"],
  bad: ["", " ", "-1", "65536", "100000", "1e3", "0x50", "80.0", "+80", " 80", "http", "٣"],
  rule: "must be a port from 0 to 65535, e.g. 3000",
};

const COUNT = { good: ["1", "999999"], bad: ["", "0", "-1", "1e3", "1000000", "none"] };
const COUNT_RULE = "must be a whole number from 1 to 999999, e.g.";

const SETTINGS: Readonly<Record<string, Setting>> = {
  PETSTORE_HOST: {
    byDefault: "127.0.0.1",
    good: ["0.0.0.0", "::1", "fe80::1%eth0", "localhost", "pets_1", "1a", "unix:/run/petstore/api.sock"],
    bad: ["", "a b", "127.0.0.256", "[::1]", "a:80", "http://a", "a..b", "-a", "a.", "a".repeat(64)],
    rule: "must be an address or host name to listen on, or unix:/PATH for a Unix socket, e.g. 127.0.0.1",
  },
  PETSTORE_ADMIN_HOST: {
    byDefault: "127.0.0.1",
    good: ["0.0.0.0", "::1", "admin.internal"],
    bad: ["", "127.0.0.1:3001"],
    rule: "must be an address or host name for the admin port to listen on, e.g. 127.0.0.1",
  },
  PETSTORE_PORT: { byDefault: 3000, ...PORT },
  PETSTORE_ADMIN_PORT: { byDefault: 3001, ...PORT },
  PETSTORE_STOP_TIMEOUT: {
    byDefault: 10,
    good: ["0", "1", "3600"],
    bad: ["", "-1", "3601", "1.5", "10s", "1e3"],
    rule: "must be a number of seconds from 0 to 3600, e.g. 10",
  },
  PETSTORE_STORAGE: {
    byDefault: "acme:pets",
    good: ["acme:x", "acme::", "alone:", "masked://host/?key=x"],
    bad: ["", "acme", "ACME:x", "postgres://db/x", "__proto__:x", "toString:", ":", ":acme"],
    rule: "must be acme:PATH, alone: or masked://HOST, e.g. acme:pets",
  },
  // test/storages/loading.it.spec.ts tests its rule.
  PETSTORE_STORAGE_ADAPTERS: { good: ["petstore-storage-acme,./storages/acme.js"], bad: [], rule: "" },
  PETSTORE_READ_ONLY: {
    byDefault: false,
    good: ["true", "false"],
    readAs: [true, false],
    bad: ["", "1", "yes", "True"],
    rule: "must be true or false, e.g. false",
  },
  PETSTORE_KEYS_FILE: {
    byDefault: "./data/keys.json",
    good: ["keys.json", "/etc/petstore/keys.json"],
    bad: ["", "keys.json\r"],
    rule: "must be a path, e.g. ./data/keys.json",
  },
  PETSTORE_API_KEY: {
    good: ["a", "petstore_1-2_3.4~5+6/7=="],
    bad: ["", "a b", "a=b", "=", "clé", "a\n", 'a"', "a,b"],
    rule: "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start",
  },
  PETSTORE_PUBLIC_URL: {
    good: ["https://pets.example.org", "http://[::1]:8080", "https://a.org/", "http://127.0.0.1:8080/"],
    readAs: ["https://pets.example.org", "http://[::1]:8080", "https://a.org", "http://127.0.0.1:8080"],
    bad: ["", "a.org", "https://a.org/v1", "https://a.org/?a", "https://a:b@a.org", "ftp://a.org"],
    rule: "must be an origin without a path, e.g. https://pets.example.org",
  },
  PETSTORE_MAX_CONNECTIONS: { byDefault: 10_000, ...COUNT, rule: `${COUNT_RULE} 10000` },
  PETSTORE_MAX_IN_FLIGHT: { byDefault: 1000, ...COUNT, rule: `${COUNT_RULE} 1000` },
  PETSTORE_RATE_LIMIT: {
    good: ["600/60"],
    readAs: [{ requests: 600, seconds: 60 }],
    bad: ["", "600", "600/", "/60", "0/60", "600/0", "600/1m", "600 / 60", "1.5/1"],
    rule: "must be the requests that each key may make in so many seconds, REQUESTS/SECONDS, e.g. 600/60",
  },
  PETSTORE_CORS_ORIGINS: {
    good: ["https://app.example.org, http://localhost:5173"],
    readAs: [["https://app.example.org", "http://localhost:5173"]],
    bad: ["", "*", "null", "app.example.org", "https://a.org/", "https://a.org,", "https://a.org/b"],
    rule: "must be origins without a path or a slash at the end, separated by commas, e.g. https://app.example.org",
  },
  PETSTORE_TRUST_PROXY: {
    good: ["loopback", "10.0.0.0/8,::1", "2001:db8::/32"],
    readAs: [["loopback"], ["10.0.0.0/8", "::1"], ["2001:db8::/32"]],
    bad: ["", "true", "1", "a.b", "10.0.0.0/33", "10.0.0/8", "::1/129", "a,", "10.0.0.0/0", "10.0.0.0/08"],
    rule: "must be addresses or subnets of the reverse proxies, separated by commas, e.g. loopback,10.0.0.0/8",
  },
  PETSTORE_LOG_LEVEL: {
    byDefault: "info",
    good: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    bad: ["", "INFO", "verbose", "30"],
    rule: "must be one of trace, debug, info, warn, error, fatal, silent, e.g. info",
  },
  PETSTORE_GET_PET: {
    byDefault: "served",
    good: ["served", "removed"],
    bad: ["", "true", "Removed"],
    rule: "must be served, or removed to answer the deprecated GET /v1/pets/{petId} with 410, e.g. served",
  },
  PETSTORE_WORKERS: {
    good: ["1", "0", "-2", "", "many"],
    readAs: ["1", "0", "-2", "", "many"],
    bad: ["2", "16", "1e3", "auto"],
    rule: "must be left out: the service is one process, and further ones are instances, e.g. systemctl enable --now petstore@2",
  },
};

describe("readSettings", () => {
  it("has the defaults of this table, and no setting that the table lacks", () => {
    const defaults = Object.entries(SETTINGS).flatMap(([name, { byDefault }]) =>
      byDefault === undefined ? [] : [[name, byDefault]],
    );
    expect(readSettings({})).to.deep.equal(Object.fromEntries(defaults));
    // A setting without a default shows only if it is given.
    const given = Object.fromEntries(
      Object.entries(SETTINGS).map(([name, { good }]) => [name, `${good[0]}`]),
    );
    expect(Object.keys(readSettings(given))).to.have.members(Object.keys(SETTINGS));
    expect(unknownSettings(given)).to.deep.equal([]);
  });

  for (const [name, { good, readAs, bad, rule }] of Object.entries(SETTINGS)) {
    for (const [n, value] of good.entries()) {
      it(`accepts ${name}=${value}`, () => {
        const setting = (readSettings({ [name]: value }) as Record<string, unknown>)[name];
        const itself = typeof setting === "number" ? Number(value) : value;
        expect(setting).to.deep.equal(readAs ? readAs[n] : itself);
      });
    }
    for (const value of bad) {
      it(`refuses ${name}=${JSON.stringify(value)}, and says the rule`, () => {
        expect(refusal({ [name]: value })).to.equal(`These settings need correcting:\n  ${name} ${rule}`);
      });
    }
  }

  it("accepts no proxy that the library behind PETSTORE_TRUST_PROXY would refuse at the start", () => {
    const odd = fc.constantFrom("loopback", "::ffff:10.0.0.1", "fe80::1%eth0");
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), odd);
    const prefix = fc.oneof(fc.nat(130).map(String), fc.constantFrom("00", "08", "255.0.0.0", ""));
    const subnet = fc.tuple(address, prefix).map((parts) => parts.join("/"));
    const network = fc.oneof(address, subnet);
    let accepted = 0;
    fc.assert(
      fc.property(network, (proxy) => {
        if (refusal({ PETSTORE_TRUST_PROXY: proxy }) !== undefined) return;
        accepted++;
        proxyAddress.compile([proxy]);
      }),
      { numRuns: 1000 },
    );
    expect(accepted).to.be.greaterThan(100);
  });

  it("refuses a URL as its adapter does, with the adapter's form as the example", () => {
    expect(refusal({ PETSTORE_STORAGE: "acme:" })).to.equal(
      "These settings need correcting:\n  PETSTORE_STORAGE must have something after acme:, e.g. acme:PATH",
    );
  });

  it("refuses modules of storages that could not be loaded, without blaming the URL", () => {
    const storages = { ...STORAGES, faults: ["names ./a.js, which is no file", "names b, which has api 1"] };
    const environment = { PETSTORE_STORAGE_ADAPTERS: "./a.js,b", PETSTORE_STORAGE: "other:pets" };
    const message =
      "These settings need correcting:\n" +
      "  PETSTORE_STORAGE_ADAPTERS names ./a.js, which is no file\n" +
      "  PETSTORE_STORAGE_ADAPTERS names b, which has api 1";
    expect(() => reading.readSettings(environment, storages)).to.throw(SettingsError, message);
    expect(() => reading.readSettings({ ...environment, PETSTORE_STORAGE: "acme:" }, storages)).to.throw(
      SettingsError,
      "PETSTORE_STORAGE must have something after acme:",
    );
    const [row] = describing
      .describeSettings(environment, storages)
      .filter(({ name }) => name === "PETSTORE_STORAGE_ADAPTERS");
    expect(row?.fault).to.equal("names ./a.js, which is no file; names b, which has api 1");
  });

  for (const [what, environment, refused] of [
    ["the admin port's default as PETSTORE_PORT", { PETSTORE_PORT: "3001" }, true],
    ["one port on every address and on one", { PETSTORE_PORT: "3001", PETSTORE_HOST: "0.0.0.0" }, true],
    ["one port on one address and on every one", { PETSTORE_PORT: "3001", PETSTORE_ADMIN_HOST: "::" }, true],
    [
      "one port on an address of IPv6 and on every address of IPv4",
      { PETSTORE_PORT: "3001", PETSTORE_HOST: "0.0.0.0", PETSTORE_ADMIN_HOST: "::1" },
      false,
    ],
    ["a free port for each", { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0" }, false],
  ] as const) {
    it(`${refused ? "refuses" : "accepts"} ${what}`, () => {
      const message =
        "These settings need correcting:\n  PETSTORE_ADMIN_PORT must not be PETSTORE_PORT, " +
        "since both listen on the same address, e.g. 0, which picks a free one";
      expect(refusal(environment)).to.equal(refused ? message : undefined);
    });
  }

  it("ignores the rest of the environment, of which unknownSettings finds the names that look misspelt", () => {
    const environment = { PATH: "/bin", HOME: "/", PETSTORE_PROT: "80", PETSTORE_: "x", petstore_port: "x" };
    expect(readSettings(environment)).to.deep.equal(readSettings({}));
    const unknown = unknownSettings({ ...environment, PETSTORE_PORT: "80" });
    expect(unknown).to.deep.equal(["PETSTORE_PROT", "PETSTORE_"]);
  });
});

describe("describeSettings", () => {
  it("has the value, the origin and the fault of every setting, and the variables that are no setting", () => {
    const settings = describeSettings({
      PATH: "/bin",
      PETSTORE_API_KEY: "secret",
      PETSTORE_PORT: "x",
      PETSTORE_STORAGE: "postgres://user:secret@host/",
      PETSTORE_PASSWORD: "secret",
    });
    expect(JSON.stringify(settings)).not.to.include("secret");
    const byName = Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]));
    expect(byName.PATH).to.equal(undefined);
    expect(byName.PETSTORE_HOST).to.deep.equal({ value: "127.0.0.1", origin: "default", fault: null });
    expect(byName.PETSTORE_PUBLIC_URL).to.deep.equal({ value: null, origin: "default", fault: null });
    expect(byName.PETSTORE_API_KEY).to.deep.equal({ value: "***", origin: "environment", fault: null });
    expect(byName.PETSTORE_PORT).to.include({ value: "x", origin: "environment" });
    expect(byName.PETSTORE_PORT?.fault).to.include("must be a port");
    expect(byName.PETSTORE_STORAGE).to.include({ value: "***" });
    expect(byName.PETSTORE_PASSWORD).to.include({ value: "***", fault: "is not a setting; is it misspelt?" });
  });

  it("has PETSTORE_WORKERS, a setting of earlier versions, only if it is given", () => {
    const faults = (environment: reading.Environment) =>
      describeSettings(environment).flatMap(({ name, fault }) =>
        name === "PETSTORE_WORKERS" ? [fault] : [],
      );
    expect(faults({})).to.deep.equal([]);
    expect(faults({ PETSTORE_WORKERS: "1" })).to.deep.equal([null]);
    expect(faults({ PETSTORE_WORKERS: "2" })[0]).to.include("must be left out");
  });

  for (const url of ["acm:/user:hunter2@host/db", "acme//user:hunter2@host/db", "user:hunter2@host/db"]) {
    it(`does not show the password in the mistyped ${url}`, () => {
      const settings = describeSettings({ PETSTORE_STORAGE: url });
      const storage = settings.find(({ name }) => name === "PETSTORE_STORAGE");
      expect(storage?.value).to.equal("***");
      expect(storage?.fault).to.include("must be acme:PATH");
    });
  }
});
