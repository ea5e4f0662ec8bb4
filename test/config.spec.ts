import { expect } from "chai";
import { readSettings, SettingsError, unknownSettings } from "../src/config.js";

/** The message with which an environment is refused; undefined where it is accepted. */
function refusal(environment: Record<string, string>): string | undefined {
  try {
    readSettings(environment);
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(SettingsError);
    return (error as Error).message;
  }
}

/** Per variable: its default, values that are accepted, values that are not, and its line in the message. */
const SETTINGS: Record<
  string,
  { byDefault: unknown; good: readonly string[]; bad: readonly string[]; rule: string }
> = {
  PETSTORE_HOST: {
    byDefault: "127.0.0.1",
    good: ["0.0.0.0", "::1", "pets.internal"],
    bad: [""],
    rule: "must be an address or host name to listen on, e.g. 127.0.0.1",
  },
  PETSTORE_PORT: {
    byDefault: 3000,
    good: ["0", "1", "8080", "65535", "00080"],
    bad: ["", " ", "-1", "65536", "99999", "100000", "1e3", "0x50", "80.0", "+80", " 80", "80 ", "http", "٣"],
    rule: "must be a port from 0 to 65535, e.g. 3000",
  },
  PETSTORE_STORAGE: {
    byDefault: "sqlite:./data/petstore.db",
    good: [
      "memory:",
      "sqlite:x",
      "sqlite:/var/lib/pets.db",
      "sqlite:C:\\pets.db",
      "sqlite:a b?c#d",
      "mongodb://localhost",
      "mongodb://user:pass%2Fword@a:27017,b:27018/petstore?replicaSet=rs0",
      "mongodb+srv://cluster.example.org/petstore",
    ],
    bad: [
      "",
      "memory",
      "memory:x",
      "sqlite:",
      "sqlite",
      "sqlite::memory:",
      "sqlite:file:x?mode=memory",
      "SQLITE:x",
      "postgres://db/x",
      "__proto__:x",
      "toString:",
      "mongodb:",
      "mongodb://",
      "mongodb:///petstore",
      "mongodb://user:pass/word@host/petstore",
      "mongodb+srv://host:27017/petstore",
    ],
    rule:
      "must be memory:, sqlite:PATH or mongodb://HOST/DATABASE " +
      "(in user and password every special character as %XX), e.g. sqlite:./data/petstore.db",
  },
  PETSTORE_KEYS_FILE: {
    byDefault: "./data/keys.json",
    good: ["keys.json", "/etc/petstore/keys.json"],
    bad: [""],
    rule: "must be a path, e.g. ./data/keys.json",
  },
  PETSTORE_API_KEY: {
    byDefault: undefined,
    good: ["a", "petstore_1-2_3.4~5+6/7=="],
    bad: ["", "a b", "a=b", "=", "clé", "a\n", 'a"', "a,b"],
    rule: "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start",
  },
  PETSTORE_PUBLIC_URL: {
    byDefault: undefined,
    good: ["https://pets.example.org", "http://[::1]:8080"],
    bad: [
      "",
      "pets.example.org",
      "https://pets.example.org/v1",
      "https://pets.example.org/?a",
      "https://a:b@pets.example.org",
      "ftp://pets.example.org",
      "javascript:alert(1)",
      "https://",
    ],
    rule: "must be an origin without a path, e.g. https://pets.example.org",
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
};

describe("readSettings", () => {
  it("has a default for every setting, and this table has every setting", () => {
    const defaults = Object.entries(SETTINGS).flatMap(([name, { byDefault }]) =>
      byDefault === undefined ? [] : [[name, byDefault]],
    );
    expect(readSettings({})).to.deep.equal(Object.fromEntries(defaults));
    // A setting without default shows only where it is given.
    const given = Object.fromEntries(
      Object.entries(SETTINGS).map(([name, { good }]) => [name, good[0] as string]),
    );
    expect(Object.keys(readSettings(given))).to.have.members(Object.keys(SETTINGS));
    expect(unknownSettings(given)).to.deep.equal([]);
  });

  for (const [name, { good, bad, rule }] of Object.entries(SETTINGS)) {
    for (const value of good) {
      it(`accepts ${name}=${value}`, () => {
        const setting = (readSettings({ [name]: value }) as Record<string, unknown>)[name];
        expect(setting).to.equal(typeof setting === "number" ? Number(value) : value);
      });
    }
    for (const value of bad) {
      it(`refuses ${name}=${JSON.stringify(value)}, and says the rule`, () => {
        expect(refusal({ [name]: value })).to.equal(`These settings need correcting:\n  ${name} ${rule}`);
      });
    }
  }

  it("takes the slash off the end of the public URL, and writes it as browsers do", () => {
    for (const [url, origin] of [
      ["https://pets.example.org/", "https://pets.example.org"],
      ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
    ] as const) {
      expect(readSettings({ PETSTORE_PUBLIC_URL: url }).PETSTORE_PUBLIC_URL).to.equal(origin);
    }
  });

  it("says all faults at once, in one message", () => {
    const environment = Object.fromEntries(
      Object.entries(SETTINGS).map(([name, { bad }]) => [name, bad[0] as string]),
    );
    const lines = refusal(environment)?.split("\n") ?? [];
    expect(lines).to.have.length(1 + Object.keys(SETTINGS).length);
    for (const [name, { rule }] of Object.entries(SETTINGS)) expect(lines).to.include(`  ${name} ${rule}`);
  });

  it("never repeats a value", () => {
    for (const name of Object.keys(SETTINGS)) {
      if (name === "PETSTORE_HOST" || name === "PETSTORE_KEYS_FILE") continue; // these refuse nothing but ""
      expect(refusal({ [name]: "s3cret value!" }))
        .to.include(name)
        .and.to.not.include("s3cret");
    }
  });

  it("cares for nothing else in the environment, and says which names look misspelt", () => {
    const environment = { PATH: "/bin", HOME: "/", PETSTORE_PROT: "80", PETSTORE_: "x", petstore_port: "x" };
    expect(readSettings(environment)).to.deep.equal(readSettings({}));
    expect(unknownSettings({ ...environment, PETSTORE_PORT: "80" })).to.deep.equal([
      "PETSTORE_PROT",
      "PETSTORE_",
    ]);
  });
});
