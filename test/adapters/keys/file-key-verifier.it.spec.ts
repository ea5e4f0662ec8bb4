import { rmSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { FileKeyVerifier } from "../../../src/adapters/keys/file-key-verifier.js";
import { createKeyRecord, writeKeys } from "../../../src/adapters/keys/keys-file.js";
import type { Reading } from "../../../src/application/ports/metrics.js";
import { captureLog } from "../../support/captured-log.js";
import { messageOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

describe("FileKeyVerifier", () => {
  let path: string;
  let captured: ReturnType<typeof captureLog>;
  let opened: FileKeyVerifier[];
  let reading: Reading;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "keys.json");
    captured = captureLog();
    opened = [];
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    for (const verifier of opened) verifier.close();
  });

  /** Stores a key for each secret, which has the secret as its name. */
  const store = (...secrets: string[]) =>
    writeKeys(
      path,
      secrets.map((secret) => createKeyRecord(secret, secret)),
    );

  /** The first start makes the file after it was opened. */
  async function start(extraKey?: string, makeFile?: () => Promise<unknown>): Promise<FileKeyVerifier> {
    const verifier = await FileKeyVerifier.open(path, extraKey, captured.log, {
      addReading: (added) => (reading = added),
    });
    opened.push(verifier);
    await makeFile?.();
    await verifier.start();
    return verifier;
  }

  /** The two seconds in which a change must take effect, and some more for a busy machine. */
  const soon = (holds: () => boolean) => until(holds, 3500);
  const messages = () => captured.lines.map(({ msg }) => msg);

  it("knows each key by its name and an id of its own, and nothing else", async () => {
    const verifier = await start(undefined, () => store("first", "second"));
    const [first, second] = ["first", "second"].map((secret) => verifier.find(secret));
    expect(first).to.include({ name: "first", isExpired: false });
    expect(second).to.include({ name: "second", isExpired: false });
    expect(first?.id)
      .to.match(/^[!-~]+$/)
      .and.not.equal(second?.id);
    for (const other of ["", "firs", "first ", "FIRST", "first\0", "\ud83d", "__proto__", "a".repeat(99_999)])
      expect(verifier.find(other)).to.equal(undefined);
  });

  it("follows the file: a key that is added, revoked, or made anew under an old name", async () => {
    await store("old", "kept");
    const verifier = await start();
    const kept = verifier.find("kept")?.id;
    await writeKeys(path, [createKeyRecord("kept", "kept"), createKeyRecord("old", "new")]);
    await soon(() => verifier.find("old") === undefined);
    expect(verifier.find("new")?.name).to.equal("old");
    expect(verifier.find("kept")?.id).to.equal(kept);
    expect(messages()).to.deep.equal(["keys reloaded"]);
  });

  it("knows a key as expired from the instant of its expiry", async () => {
    const expires = new Date(Date.now() + 60_000);
    await writeKeys(path, [createKeyRecord("short", "short", expires.toISOString())]);
    const verifier = await start();
    let now = expires.getTime() - 1;
    mock.method(Date, "now", () => now);
    expect(verifier.find("short")).to.include({ name: "short", isExpired: false });
    now++;
    expect(verifier.find("short")).to.include({ name: "short", isExpired: true });
  });

  it("tells in how many days the next key expires", async () => {
    await store("for-ever");
    await start();
    expect(reading.read()).to.equal(Infinity);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    await writeKeys(
      path,
      [-1, 9, 4, 300].map((days) => createKeyRecord("key", `${days}`, inDays(days))),
    );
    await start();
    expect(reading.read()).to.be.closeTo(4, 0.01);
  });

  it("accepts one more key, even if the file has the same one as expired", async () => {
    await writeKeys(path, [createKeyRecord("old", "extra", new Date(1).toISOString())]);
    const verifier = await start("extra");
    expect(verifier.find("extra")).to.include({ name: "PETSTORE_API_KEY", isExpired: false });
    await store("other");
    await soon(() => verifier.find("other") !== undefined);
    expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
  });

  const LOSSES: Record<string, () => unknown> = {
    damaged: () => writeFileSync(path, '{"version":1,"keys":[{"sha256":"SECRET"}]}'),
    gone: () => rmSync(path),
    // Even if it does not change afterwards.
    unreadable() {
      mock.method(fs, "readFile", () =>
        Promise.reject(Object.assign(new Error("EMFILE"), { code: "EMFILE" })),
      );
      syncBuiltinESMExports();
    },
  };
  for (const [what, lose] of Object.entries(LOSSES)) {
    it(`keeps the keys that it knows while the file is ${what}, and says so once`, async () => {
      await store("old");
      const verifier = await start();
      lose();
      await soon(() => captured.lines.length > 0);
      await sleep(1200);
      expect(verifier.find("old")?.name).to.equal("old");
      await store("new");
      mock.restoreAll();
      syncBuiltinESMExports();
      await soon(() => verifier.find("new") !== undefined);
      expect(verifier.find("old")).to.equal(undefined);
      const lost = "cannot reload the keys file; the previous keys stay valid";
      expect(messages()).to.deep.equal([lost, "keys reloaded"]);
      expect(captured.text()).not.to.include("SECRET");
    });
  }

  it("opens and starts without a file, says how to create a key, and soon knows it", async () => {
    const verifier = await start("extra");
    expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
    expect(messages()).to.deep.equal(["the keys file has no key; create one with: petstore keys add NAME"]);
    await sleep(1200);
    await store("first");
    await soon(() => verifier.find("first") !== undefined);
    expect(messages().slice(1)).to.deep.equal(["keys reloaded"]);
  });

  it("does not open on a damaged file, and reads nothing once it is closed", async () => {
    writeFileSync(path, "{}");
    expect(await messageOf(start())).to.match(/is damaged; restore it from a backup/);
    await store("old");
    const verifier = await start();
    verifier.close();
    await store("new");
    await sleep(1200);
    expect(verifier.find("new")).to.equal(undefined);
  });
});
