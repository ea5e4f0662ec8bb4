import { expect } from "chai";
import { STORAGE_API, type StorageAdapter } from "../src/application/storage-adapter.js";
import * as settings from "../src/settings.js";
import { Storages } from "../src/storages.js";
import { UsageError } from "../src/usage-error.js";

/** A storage that does not exist. */
const acme: StorageAdapter = {
  api: STORAGE_API,
  schemes: ["acme", "sqlite"],
  form: "acme:PATH",
  shared: true,
  durable: true,
  check: (url) => (url === "acme:" ? "must have something after acme:" : undefined),
  mask: (url) => url.replace(/key=.*/, "key=***"),
  open: () => expect.fail("opened"),
};
const LIST = [{ adapter: acme, from: "acme", module: null }];
const STORAGES = new Storages(LIST, []);

const read = (environment: NodeJS.ProcessEnv) => settings.readSettings(environment, STORAGES);
const describeSettings = (environment: NodeJS.ProcessEnv) => settings.describeSettings(environment, STORAGES);

/** The default, how the line of a fault begins, what each good text is read as, and bad texts. */
type Setting = readonly [
  byDefault: unknown,
  rule: string,
  good: Readonly<Record<string, unknown>>,
  bad: string[],
];

/** The texts that are read as they are. */
const same = (...texts: string[]) => Object.fromEntries(texts.map((text) => [text, text]));

const ADDRESS: Setting = [
  "127.0.0.1",
  "must be an address",
  same("0.0.0.0", "::1", "localhost"),
  ["", "a b"],
];
const isPort = "must be a port from 0 to 65535";
const port = { 0: 0, 65535: 65535, "00080": 80 };
const noPort = ["", "-1", "65536", "1e3", "0x50", " 80", "٣"];
const isCount = "must be a number from 1 to 999999";
const count = { 1: 1, 999999: 999999 };
const noCount = ["", "0", "-1", "1e3", "1000000", "none"];
const URLS = { "https://a.org": "https://a.org", "http://[::1]:8080/": "http://[::1]:8080" };
const noUrl = ["", "a.org", "https://a.org/v1", "https://a.org/?a", "https://a:b@a.org", "ftp://a.org"];
const ORIGINS = { "https://a.org, http://b:8080": ["https://a.org", "http://b:8080"] };
const noOrigins = ["", "*", "https://a.org/", "https://a.org,", "null"];
const PROXIES = { "loopback, 10.0.0.0/8,::1": ["loopback", "10.0.0.0/8", "::1"] };
const noStorage = ["", "acme", "ACME:x", "postgres://db/x", "__proto__:x", ":acme"];
const RATE = { "600/60": { requests: 600, seconds: 60 } };
const noRate = ["", "600", "0/60", "600/0", "600/60s", "1e3/60"];
const noKey = ["", "a b", "a=b", "clé", "a\n", "a,b"];

const SETTINGS: Readonly<Record<string, Setting>> = {
  PETSTORE_HOST: ADDRESS,
  PETSTORE_ADMIN_HOST: ADDRESS,
  PETSTORE_PORT: [3000, isPort, port, noPort],
  PETSTORE_ADMIN_PORT: [3001, isPort, port, noPort],
  PETSTORE_STORAGE: [
    "sqlite:./data/petstore.db",
    "must be one of acme:PATH, e.g. ",
    same("acme:x"),
    noStorage,
  ],
  PETSTORE_READ_ONLY: [
    "false",
    "must be one of true, false",
    same("true", "false"),
    ["", "1", "yes", "True"],
  ],
  PETSTORE_KEYS_FILE: ["./data/keys.json", "must be a path", same("/etc/keys.json"), ["", "keys.json\r"]],
  PETSTORE_API_KEY: [
    undefined,
    "must hold only letters, digits and",
    same("petstore_1-2_3.4~5+6/7=="),
    noKey,
  ],
  PETSTORE_PUBLIC_URL: [undefined, "must be an origin", URLS, noUrl],
  PETSTORE_MAX_CONNECTIONS: [10_000, isCount, count, noCount],
  PETSTORE_MAX_IN_FLIGHT: [1000, isCount, count, noCount],
  PETSTORE_RATE_LIMIT: [undefined, "must be REQUESTS/SECONDS", RATE, noRate],
  PETSTORE_CORS_ORIGINS: [undefined, "must be origins", ORIGINS, noOrigins],
  PETSTORE_TRUST_PROXY: [
    undefined,
    "must be addresses or subnets",
    PROXIES,
    ["", "a.org", "10.0.0.0/33", "true"],
  ],
  PETSTORE_LOG_LEVEL: [
    "info",
    "must be one of trace, debug",
    same("silent", "debug"),
    ["", "INFO", "verbose"],
  ],
  PETSTORE_STOP_TIMEOUT: [10, "must be seconds", { 0: 0, 3600: 3600 }, ["", "-1", "1.5", "10s"]],
  PETSTORE_GET_PET: ["served", "must be one of served, removed", same("served", "removed"), ["", "yes"]],
};

describe("Settings", () => {
  for (const [name, [byDefault, rule, good, bad]] of Object.entries(SETTINGS)) {
    const value = (environment: NodeJS.ProcessEnv) => (read(environment) as Record<string, unknown>)[name];

    it(`${name} has its default, and takes ${Object.keys(good).join(" and ")}`, () => {
      expect(value({})).to.deep.equal(byDefault);
      for (const [text, expected] of Object.entries(good)) {
        expect(value({ [name]: text })).to.deep.equal(expected);
      }
    });

    it(`${name} is refused with its rule, and without its value, if it breaks it`, () => {
      for (const text of bad) {
        expect(() => read({ [name]: text }), JSON.stringify(text))
          .to.throw(UsageError, `\n  ${name} ${rule}`)
          .with.property("exitCode", 2);
        if (text.length > 4) expect(() => read({ [name]: text })).to.not.throw(text);
      }
    });
  }

  it("are all in the list that petstore config shows", () => {
    expect(describeSettings({}).map(({ name }) => name)).to.have.members([
      ...Object.keys(SETTINGS),
      "PETSTORE_STORAGE_ADAPTERS",
    ]);
  });

  it("are refused all at once", () => {
    const faulty = { PETSTORE_PORT: "http", PETSTORE_LOG_LEVEL: "loud", PETSTORE_STORAGE: "acme:" };
    expect(() => read(faulty)).to.throw(/^[^\n]*(\n {2}PETSTORE_\w+ must [^\n]*){3}$/);
    expect(() => read(faulty)).to.throw("PETSTORE_STORAGE must have something after acme:, e.g. acme:PATH");
  });

  it("name the fault of a module, and not the scheme that is unknown because of it", () => {
    const storages = new Storages(LIST, ["names x, which is not there"]);
    const environment = { PETSTORE_STORAGE_ADAPTERS: "x", PETSTORE_STORAGE: "x:y" };
    expect(() => settings.readSettings(environment, storages)).to.throw(
      /:\n {2}PETSTORE_STORAGE_ADAPTERS names x, which is not there$/,
    );
  });

  it("are described with origin and fault, and without secrets", () => {
    const shown = describeSettings({
      PETSTORE_API_KEY: "petstore_secret",
      PETSTORE_STORAGE: "acme:x?key=secret",
      PETSTORE_PUBLIC_URL: "https://user:secret@a.org",
      PETSTORE_KEYS_FILE: "https://user:secret@a.org",
      PETSTORE_PROT: "secret",
      HOME: "/",
    });
    expect(JSON.stringify(shown)).to.not.include("secret");
    const row = (name: string) => shown.find((one) => one.name === name);
    expect(row("PETSTORE_STORAGE")).to.deep.equal({
      name: "PETSTORE_STORAGE",
      value: "acme:x?key=***",
      origin: "environment",
      fault: null,
    });
    expect(row("PETSTORE_PORT")).to.include({ value: "3000", origin: "default" });
    expect(row("PETSTORE_PUBLIC_URL"))
      .to.include({ value: "***" })
      .and.property("fault")
      .match(/^must be/);
    expect(row("PETSTORE_PROT")).to.deep.equal({
      name: "PETSTORE_PROT",
      value: "***",
      origin: "unknown",
      fault: null,
    });
    expect(row("HOME")).to.equal(undefined);
  });
});
