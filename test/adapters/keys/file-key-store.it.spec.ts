import {
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { expect } from "chai";
import { digestOf } from "../../../src/adapters/keys/api-key.js";
import { createFirstKey, FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { FileKeyVerifier } from "../../../src/adapters/keys/file-key-verifier.js";
import { type KeyRecord, readKeys } from "../../../src/adapters/keys/keys-file.js";
import type { Reading } from "../../../src/application/ports/metrics.js";
import { captureLog } from "../../support/captured-log.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

describe("The keys file", () => {
  let path: string;
  let store: FileKeyStore;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "keys.json");
    store = new FileKeyStore(path);
  });

  const namesIn = async () => (await store.list()).map(({ name }) => name);

  describe("created at the first start", () => {
    it("has its folders, the digest of one key and not the key, and is for its owner alone", async () => {
      path = join(folder(), "a/b/keys.json");
      const umask = process.umask(0);
      const secret = String(await createFirstKey(path).finally(() => process.umask(umask)));
      expect(secret)
        .to.match(/^petstore_[\w-]{32}$/)
        .and.match(/^petstore_[\w-]{32}$/);
      expect(statSync(path).mode & 0o777).to.equal(0o600);
      expect(readFileSync(path, "utf8")).not.to.include(secret.slice("petstore_".length));
      const [{ created, ...key }] = (await readKeys(path)) as [KeyRecord];
      expect(key).to.deep.equal({ name: "default", sha256: digestOf(secret), expires: null });
      expect(readdirSync(join(folder(), "a/b"))).to.deep.equal(["keys.json"]);
    });

    it("is created once by many at the same time, with the key of the one that created it", async () => {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => createFirstKey(path)));
      const [created = "", ...others] = secrets.filter((secret) => secret !== undefined);
      expect(others).to.deep.equal([]);
      const [key] = await readKeys(path);
      expect(key?.sha256).to.equal(digestOf(created));
      expect(readdirSync(folder())).to.deep.equal(["keys.json"]);
    });

    it("is left alone where it exists, corrupt or not", async () => {
      for (const text of ["", "damaged", '{"version":1,"keys":[]}']) {
        writeFileSync(path, text);
        expect(await createFirstKey(path)).to.equal(undefined);
        expect(readFileSync(path, "utf8")).to.equal(text);
      }
    });

    it("is created although a command died and left its lock: a service must start", async () => {
      writeFileSync(`${path}.lockfile`, "");
      expect(await createFirstKey(path)).to.match(/^petstore_/);
    });
  });

  describe("changed by commands", () => {
    it("loses no concurrent change, and leaves no other file", async () => {
      const names = Array.from({ length: 20 }, (_, n) => `key-${n}`);
      const first = createFirstKey(path);
      await Promise.all([first, ...names.map((name) => new FileKeyStore(path).add(name, null))]);
      expect((await namesIn()).filter((name) => name !== "default")).to.have.members(names);
      await Promise.all(names.slice(5).map((name) => new FileKeyStore(path).revoke(name)));
      expect((await namesIn()).filter((name) => name !== "default")).to.have.members(names.slice(0, 5));
      expect(readdirSync(folder())).to.deep.equal(["keys.json"]);
    });

    it("gives each name one key, with its expiry, and says what to do about any other name", async () => {
      const expires = "2030-01-01T00:00:00.000Z";
      const { secret, ...description } = await store.add("one", expires);
      expect(secret).to.match(/^petstore_[\w-]{32}$/);
      expect(await store.list()).to.deep.equal([{ ...description, expired: false }]);
      expect(description).to.include({ name: "one", expires });
      expect(await messageOf(store.add("one", null))).to.match(/already exists/);
      expect(await messageOf(store.revoke("two"))).to.match(/No key named two/);
      await store.revoke("one");
      expect(await store.list()).to.deep.equal([]);
    });

    it("follows symlinks", async () => {
      await store.add("one", null);
      const link = join(folder(), "link.json");
      symlinkSync("keys.json", link);
      await new FileKeyStore(link).revoke("one");
      expect(await store.list()).to.deep.equal([]);
      expect(readlinkSync(link)).to.equal("keys.json");
    });

    it("is locked meanwhile, and a stale lock is named", async () => {
      await store.add("one", null);
      const lock = `${path}.lockfile`;
      writeFileSync(lock, "");
      const waiting = store.revoke("one");
      setTimeout(() => rmSync(lock), 100);
      await waiting;
      writeFileSync(lock, "");
      let now = 0;
      mock.method(performance, "now", () => (now += 1000));
      expect(await messageOf(store.add("two", null)).finally(() => mock.restoreAll())).to.include(lock);
      rmSync(lock);
      expect(await store.list()).to.deep.equal([]);
    });
  });

  const key = { name: "a", sha256: "0".repeat(64), created: "2026-11-21T00:00:00.000Z", expires: null };
  it("is read as 3.0.0 or a later version wrote it, whatever its mode", async () => {
    const expiring = { ...key, name: "b", expires: "2030-01-01T00:00:00.000Z" };
    for (const keys of [[], [key, expiring], [{ ...key, note: "x" }]]) {
      for (const mode of [0o777, 0o440]) {
        writeFileSync(path, JSON.stringify({ version: 1, keys, note: "x" }), { mode });
        expect(await namesIn()).to.deep.equal(keys.map(({ name }) => name));
        rmSync(path);
      }
    }
  });

  const HOUR = 3_600_000;
  /** The same instant in forms whose texts sort differently. */
  const FORMS: Record<string, (time: number) => string> = {
    "in UTC": (time) => new Date(time).toISOString(),
    "with a positive offset": (time) => new Date(time + 5 * HOUR).toISOString().replace("Z", "+05:00"),
    "with a negative offset": (time) => new Date(time - 11 * HOUR).toISOString().replace("Z", "-1100"),
    "in lower case": (time) => new Date(time).toISOString().toLowerCase(),
    "without a fraction": (time) => new Date(time).toISOString().replace(/\.\d+/, ""),
    "with nanoseconds": (time) => new Date(time).toISOString().replace("Z", "000000Z"),
    "with a space": (time) => new Date(time).toISOString().replace("T", " "),
  };
  /** What the list and the service make of keys with these expiries. */
  async function judge(expiries: readonly string[]) {
    const keys = expiries.map((expires, n) => ({ ...key, name: `k${n}`, sha256: digestOf(`${n}`), expires }));
    writeFileSync(path, JSON.stringify({ version: 1, keys }));
    const readings: Reading[] = [];
    const metrics = { addReading: (reading: Reading) => void readings.push(reading) };
    const verifier = await FileKeyVerifier.open(path, undefined, captureLog().log, metrics);
    const expired = (await store.list()).map(({ expired }) => expired);
    expect(keys.map((_, n) => verifier.find(`${n}`)?.isExpired)).to.deep.equal(expired);
    expect(verifier.names()).to.deep.equal(keys.flatMap(({ name }, n) => (expired[n] ? [] : [name])));
    return { expired, days: readings[0]?.read() };
  }
  for (const [form, format] of Object.entries(FORMS)) {
    it(`treats an expiry ${form} as an instant, in the list as for requests`, async () => {
      const expiries = [-90, -1, 10, 90].map((minutes) => format(Date.now() + minutes * 60_000));
      const { expired, days } = await judge(expiries);
      expect(expired).to.deep.equal([true, true, false, false]);
      expect(days).to.be.within(0, 10 / 1440);
    });
  }

  it("treats an expiry that JavaScript cannot parse as past, everywhere", async () => {
    expect(await judge(["2999-01-01T00:00:00+05"])).to.deep.equal({ expired: [true], days: Infinity });
  });

  for (const [what, content] of [
    ["is empty", ""],
    ["is not an object", "null"],
    ["is of another version", '{"version":2,"keys":[]}'],
    ["has a key without a name", { name: "" }],
    ["has a key in place of its digest", { sha256: "SECRET" }],
    ["has an expiry that is not a date", { expires: "SECRET" }],
    ["has an expiry without a zone", { expires: "2030-01-01T00:00:00" }],
  ] as const) {
    it(`is refused without showing its content if it ${what}`, async () => {
      const text = JSON.stringify({ version: 1, keys: [{ ...key, ...Object(content) }] });
      writeFileSync(path, typeof content === "string" ? content : text);
      expect(await messageOf(store.list()))
        .to.match(/corrupt/)
        .and.not.include("SECRET");
    });
  }

  it("is refused by its path if it cannot be read or written", async () => {
    writeFileSync(path, "");
    for (const place of [folder(), join(path, "keys.json")]) {
      const below = new FileKeyStore(place);
      for (const use of [() => below.list(), () => below.add("one", null), () => below.revoke("one")]) {
        expect(await messageOf(use())).to.match(/^The keys file .* cannot be used/);
      }
    }
  });
});
