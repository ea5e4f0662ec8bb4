import { expect } from "chai";
import { STORAGE_API, type StorageAdapter } from "../src/application/storage-adapter.js";
import * as settings from "../src/settings.js";
import { UsageError } from "../src/settings.js";
import { Storages } from "../src/storages.js";

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

const read = (environment: NodeJS.ProcessEnv) =>
  settings.readSettings(environment, STORAGES.faultsOf(environment));
const describeSettings = (environment: NodeJS.ProcessEnv) =>
  settings.describeSettings(environment, STORAGES.faultsOf(environment), (url) => STORAGES.mask(url));

/** The default, the start of the rule, valid texts with their values, and invalid texts between bars. */
type Setting = readonly [
  byDefault: unknown,
  rule: string,
  good: Readonly<Record<string, unknown>>,
  bad: string,
];

const same = (...texts: string[]) => Object.fromEntries(texts.map((text) => [text, text]));

const HOST: Setting = ["127.0.0.1", "must be an address", same("0.0.0.0", "::1", "localhost"), "a b"];
const PORTS = { 0: 0, 65535: 65535, "00080": 80 };
const port = (byDefault: number): Setting => {
  return [byDefault, "must be a port from 0 to 65535", PORTS, "-1|65536|000080|1e3|0x50| 80|٣"];
};
const count = (byDefault: number): Setting => {
  const good = { 1: 1, 999999: 999999 };
  return [byDefault, "must be a number from 1 to 999999", good, "0|-1|1e3|1000000|none|010"];
};
const URLS = { "https://a.org": "https://a.org", "http://[::1]:8080/": "http://[::1]:8080" };
const INVALID_URLS = "a.org|https://a.org/v1|https://a.org/?a|https://a:b@a.org|ftp://a.org";
const ORIGINS = { "https://a.org, http://b:8080": ["https://a.org", "http://b:8080"] };
const PROXIES = { "loopback, 10.0.0.0/8,::1": ["loopback", "10.0.0.0/8", "::1"] };
const RATE = { "600/60": { requests: 600, seconds: 60 } };
const KEYS_FILE = "./data/keys.json";
const STORAGE = "sqlite:./data/petstore.db";
const LEVELS = "must be one of trace, debug, info, warn, error, fatal, silent";

const SETTINGS: Readonly<Record<string, Setting>> = {
  PETSTORE_HOST: HOST,
  PETSTORE_ADMIN_HOST: HOST,
  PETSTORE_PORT: port(3000),
  PETSTORE_ADMIN_PORT: port(3001),
  PETSTORE_STORAGE: [
    STORAGE,
    "must be one of acme:PATH",
    same("acme:x"),
    "acme|ACME:x|a://b/x|__proto__:x|:acme",
  ],
  PETSTORE_READ_ONLY: [false, "must be one of true, false", { true: true, false: false }, "1|yes|True"],
  PETSTORE_KEYS_FILE: [KEYS_FILE, "must be a path", same("/etc/keys.json"), "keys.json\r"],
  PETSTORE_API_KEY: [undefined, "must hold only letters", same("a_1-2_3.4~5+6/7=="), "a b|a=b|clé|a\n|a,b"],
  PETSTORE_PUBLIC_URL: [undefined, "must be an origin", URLS, INVALID_URLS],
  PETSTORE_MAX_CONNECTIONS: count(10_000),
  PETSTORE_MAX_IN_FLIGHT: count(1000),
  PETSTORE_RATE_LIMIT: [undefined, "must be REQUESTS/SECONDS", RATE, "600|0/60|600/0|600/60s|1e3/60"],
  PETSTORE_CORS_ORIGINS: [undefined, "must be origins", ORIGINS, "*|https://a.org/|https://a.org,|null"],
  PETSTORE_TRUST_PROXY: [undefined, "must be addresses or subnets", PROXIES, "a.org|10.0.0.0/33|true"],
  PETSTORE_LOG_LEVEL: ["info", LEVELS, same("silent", "debug"), "INFO|verbose"],
  PETSTORE_KEEP_ALIVE_TIMEOUT: [
    65,
    "must be seconds from 1 to 9999",
    { 1: 1, 9999: 9999 },
    "0|-1|1.5|10000|65s",
  ],
  PETSTORE_STOP_TIMEOUT: [10, "must be seconds", { 0: 0, 3600: 3600 }, "-1|1.5|10s"],
  PETSTORE_GET_PET: ["served", "must be one of served, removed", same("served", "removed"), "yes"],
};

describe("Settings", () => {
  for (const [name, [byDefault, rule, good, bad]] of Object.entries(SETTINGS)) {
    // PETSTORE_MAX_IN_FLIGHT is read as maxInFlight.
    const member = name
      .slice(9)
      .toLowerCase()
      .replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    const value = (environment: NodeJS.ProcessEnv) => {
      return Object.entries(read(environment)).find(([name]) => name === member)?.[1];
    };

    it(`${name} takes its default, and accepts ${Object.keys(good).join(" and ")}`, () => {
      expect(value({})).to.deep.equal(byDefault);
      for (const [text, expected] of Object.entries(good)) {
        expect(value({ [name]: text })).to.deep.equal(expected);
      }
    });

    it(`${name} is rejected with its rule, and without its value`, () => {
      for (const text of ["", ...bad.split("|")]) {
        expect(() => read({ [name]: text }), JSON.stringify(text))
          .to.throw(UsageError, `\n  ${name} ${rule}`)
          .with.property("exitCode", 2);
        if (text.length > 4) expect(() => read({ [name]: text })).to.not.throw(text);
      }
    });
  }

  it("are all shown by petstore config", () => {
    expect(describeSettings({}).map(({ name }) => name)).to.have.members([
      ...Object.keys(SETTINGS),
      "PETSTORE_STORAGE_ADAPTERS",
    ]);
  });

  it("are rejected all at once", () => {
    const faulty = { PETSTORE_PORT: "http", PETSTORE_LOG_LEVEL: "loud", PETSTORE_STORAGE: "acme:" };
    expect(() => read(faulty)).to.throw(/^[^\n]*(\n {2}PETSTORE_\w+ must [^\n]*){3}$/);
    const unknown = { ...faulty, PETSTORE_PROT: "x" };
    expect(() => read(unknown)).to.throw(/\n {2}PETSTORE_PROT is not a setting; is it misspelt\?$/);
    expect(() => read(faulty)).to.throw("PETSTORE_STORAGE must have something after acme:, e.g. acme:PATH");
  });

  it("report the fault of a module, not the scheme that is unknown because of it", () => {
    const storages = new Storages(LIST, ["names x, which was not found"]);
    const environment = { PETSTORE_STORAGE_ADAPTERS: "x", PETSTORE_STORAGE: "x:y" };
    expect(() => settings.readSettings(environment, storages.faultsOf(environment))).to.throw(
      /:\n {2}PETSTORE_STORAGE_ADAPTERS names x, which was not found$/,
    );
  });

  it("mention Kubernetes only if the value comes from it", () => {
    expect(() => read({ PETSTORE_PORT: "tcp://10.0.0.1:3000" })).to.throw("enableServiceLinks: false");
    expect(() => read({ PETSTORE_PORT: "x" })).to.not.throw("Kubernetes");
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
    const row = (name: string) => shown.find((setting) => setting.name === name);
    for (const [name, expected] of Object.entries({
      PETSTORE_STORAGE: { value: "acme:x?key=***", origin: "environment", fault: null },
      PETSTORE_PORT: { value: "3000", origin: "default", fault: null },
      PETSTORE_PUBLIC_URL: { value: "***", origin: "environment" },
      PETSTORE_PROT: { value: "***", origin: "unknown", fault: null },
    })) {
      expect(row(name)).to.include(expected);
    }
    expect(row("PETSTORE_PUBLIC_URL")?.fault).to.match(/^must be/);
    expect(row("HOME")).to.equal(undefined);
  });
});
