import { chmodSync, rmSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { writeKeysFile } from "../../../src/adapters/keys/change-keys-file.js";
import { FileKeyVerifier } from "../../../src/adapters/keys/file-key-verifier.js";
import { keyRecord } from "../../../src/adapters/keys/keys-file.js";
import type { ApiKey } from "../../../src/application/ports/key-verifier.js";
import type { StorageReading } from "../../../src/application/ports/storage.js";
import { captureLog } from "../../support/captured-log.js";
import { messageOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

/** A key for each secret, named after it. */
const records = (...secrets: string[]) =>
  secrets.map((secret) => keyRecord(secret.replace(/[^\w.@-]/g, "."), secret));

/** Lets each read of a file fail during the work. */
async function whileReadFails(error: Error, work: () => Promise<void>): Promise<void> {
  const reading = mock.method(fs, "readFile", () => Promise.reject(error));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    reading.mock.restore();
    syncBuiltinESMExports();
  }
}

describe("FileKeyVerifier", () => {
  let path: string;
  let captured: ReturnType<typeof captureLog>;
  let opened: FileKeyVerifier[];
  let readings: StorageReading[];

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "keys.json");
    captured = captureLog();
    opened = [];
    readings = [];
  });
  afterEach(() => {
    mock.restoreAll();
    for (const verifier of opened) verifier.close();
  });

  async function open(extraKey?: string): Promise<FileKeyVerifier> {
    const verifier = await FileKeyVerifier.open(path, extraKey, {
      log: captured.log,
      addReading: (reading) => readings.push(reading),
    });
    opened.push(verifier);
    return verifier;
  }

  /** Waits for at most the two seconds in which a change must count, and some grace for a busy machine. */
  const soon = (holds: () => boolean) => until(holds, 3500);

  describe("keeps the contract of its port", () => {
    const [FIRST, SECOND, THIRD] = ["petstore_first", "petstore_second", "petstore_third-~+/.="];
    let verifier: FileKeyVerifier;
    beforeEach(async () => {
      await writeKeysFile(path, records(FIRST, SECOND, THIRD));
      verifier = await open();
    });

    it("knows each key, and distinguishes them", () => {
      const accepted = [FIRST, SECOND, THIRD].map((secret) => verifier.find(secret) as ApiKey);
      for (const { name, id } of accepted) {
        expect(name).to.match(/./);
        expect(id).to.match(/^[!-~]+$/);
      }
      expect(new Set(accepted.map(({ id }) => id)).size).to.equal(3);
      expect(verifier.find(FIRST)?.id).to.equal(accepted[0]?.id);
    });

    it("knows no other text as a key", () => {
      const near = [FIRST.slice(0, -1), `${FIRST}a`, ` ${FIRST}`, FIRST.toUpperCase(), `${FIRST}\0`];
      const odd = ["", "undefined", "ключ", "\ud83d", "__proto__", "a".repeat(100_000)];
      for (const secret of [...near, ...odd]) expect(verifier.find(secret)).to.equal(undefined);
    });

    it("no longer accepts a revoked key, accepts the others as before, and no other id", async () => {
      const [first, second] = [FIRST, SECOND].map((secret) => verifier.find(secret) as ApiKey);
      expect(verifier.accepts((first as ApiKey).id)).to.equal(true);
      await writeKeysFile(path, records(SECOND, THIRD));
      await soon(() => verifier.find(FIRST) === undefined);
      expect(verifier.accepts((first as ApiKey).id)).to.equal(false);
      expect(verifier.find(SECOND)?.id).to.equal(second?.id);
      expect(verifier.accepts("nobody")).to.equal(false);
    });
  });

  it("accepts a key to the instant of its expiry, and knows it from then on", async () => {
    const expires = new Date(Date.now() + 60_000);
    await writeKeysFile(path, [keyRecord("short", "short", expires.toISOString())]);
    const verifier = await open();
    const key = verifier.find("short") as ApiKey;
    expect(key.name).to.equal("short");
    let now = expires.getTime() - 1;
    mock.method(Date, "now", () => now);
    expect(verifier.accepts(key.id)).to.equal(true);
    now++;
    expect(verifier.accepts(key.id)).to.equal(false);
    expect(verifier.find("short")?.id).to.equal(key.id);
  });

  it("tells in how many days the next key expires, and gives no number if none will", async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    await writeKeysFile(path, records("for-ever"));
    await open();
    const reading = readings.find(({ name }) => name === "petstore_keys_next_expiry_days");
    expect(reading?.read()).to.equal(Infinity);
    const expiring = [-1, 9, 4, 300].map(inDays).map((at, index) => keyRecord(`key-${index}`, at, at));
    await writeKeysFile(path, [...expiring, ...records("for-ever")]);
    await soon(() => (reading?.read() ?? 0) < 5);
    expect(reading?.read()).to.be.closeTo(4, 0.01);
  });

  describe("the additional key", () => {
    beforeEach(() => writeKeysFile(path, records("filed")));

    it("is accepted beside those in the file, even after the file is read again", async () => {
      const verifier = await open("extra");
      expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
      expect(verifier.find("filed")?.name).to.equal("filed");
      await writeKeysFile(path, records("other"));
      await soon(() => verifier.find("other") !== undefined);
      expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
      expect(verifier.find("filed")).to.equal(undefined);
    });

    it("counts even if the file has the same key as expired", async () => {
      await writeKeysFile(path, [keyRecord("old", "extra", new Date(1).toISOString()), ...records("filed")]);
      expect((await open("extra")).find("extra")?.name).to.equal("PETSTORE_API_KEY");
    });
  });

  it("gives another id to a new key that has the name of an old one", async () => {
    await writeKeysFile(path, [keyRecord("app", "first")]);
    const verifier = await open();
    const first = verifier.find("first");
    await writeKeysFile(path, [keyRecord("app", "second")]);
    await soon(() => verifier.find("second") !== undefined);
    expect(verifier.find("second")?.name).to.equal(first?.name);
    expect(verifier.find("second")?.id).to.not.equal(first?.id);
  });

  describe("if its file changes", () => {
    beforeEach(() => writeKeysFile(path, records("old")));

    const DAMAGE: Record<string, () => void> = {
      "is damaged": () => writeFileSync(path, '{"petstore_SECRET'),
      "is gone": () => rmSync(path),
      "may be read by others": () => chmodSync(path, 0o644),
    };
    for (const [what, damage] of Object.entries(DAMAGE)) {
      it(`keeps the known keys in force if the file ${what}, logs that, and accepts the new keys once the file is mended`, async () => {
        const verifier = await open();
        const key = verifier.find("old") as ApiKey;
        damage();
        await soon(() => captured.text().includes("keys not read again; those known before stay in force"));
        expect(captured.text()).to.not.include("SECRET");
        expect(verifier.accepts(key.id)).to.equal(true);
        expect(verifier.find("old")?.name).to.equal("old");
        await writeKeysFile(path, records("new"));
        await soon(() => verifier.find("new") !== undefined);
        expect(verifier.find("old")).to.equal(undefined);
      });
    }

    it("accepts the new keys as soon as an unreadable file can be read, even if the file has not changed since", async () => {
      const verifier = await open();
      await whileReadFails(new Error("EMFILE"), async () => {
        await writeKeysFile(path, records("new"));
        await soon(() => captured.text().includes("keys not read again"));
        await soon(() => (readings[0]?.read() ?? 0) > 0.5);
        expect(verifier.isCurrent(), "for a moment").to.equal(true);
      });
      await soon(() => verifier.find("new") !== undefined);
      expect(verifier.find("old")).to.equal(undefined);
      expect(readings[0]?.read()).to.equal(0);
    });

    it("reads nothing more once it is closed", async () => {
      const verifier = await open();
      verifier.close();
      await writeKeysFile(path, records("new"));
      await sleep(1200);
      expect(verifier.find("new")).to.equal(undefined);
      expect(captured.text()).to.equal("");
    });
  });

  it("opens before the first start has made the file, and knows its keys as soon as it is started", async () => {
    const verifier = await open("extra");
    expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
    await sleep(1200);
    await writeKeysFile(path, records("first"));
    await verifier.start();
    expect(verifier.find("first")?.name).to.equal("first");
    expect(captured.text()).to.equal("");
  });

  it("does not open on a file that is gone or damaged, and stops watching that file", async () => {
    await writeKeysFile(path, records("old"));
    rmSync(path);
    expect(await messageOf(open())).to.match(/keys\.json is gone; restore it from a backup, or /);
    writeFileSync(path, "{}", { mode: 0o600 });
    expect(await messageOf(open())).to.match(/is damaged: version is not as it must be/);
    await writeKeysFile(path, records("new"));
    await sleep(1200);
    expect(captured.text()).to.equal("");
  });

  it("names the user that must own the file, if this user may not read it", async () => {
    await writeKeysFile(path, records("old"));
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    await whileReadFails(denied, async () => {
      expect(await messageOf(open())).to.match(
        /cannot be read by this user; give it to the user that the service runs as/,
      );
    });
  });
});
