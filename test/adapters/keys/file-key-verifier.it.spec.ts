import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { FileKeyVerifier } from "../../../src/adapters/keys/file-key-verifier.js";
import { createKeyRecord, type KeyRecord } from "../../../src/adapters/keys/keys-file.js";
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
    for (const verifier of opened) verifier.close();
  });

  function write(...keys: KeyRecord[]): void {
    writeFileSync(`${path}.new`, JSON.stringify({ version: 1, keys }));
    renameSync(`${path}.new`, path);
  }
  /** Stores a key for each secret, which has the secret as its name. */
  const store = (...secrets: string[]) => write(...secrets.map((secret) => createKeyRecord(secret, secret)));

  /** The first start creates the file after it was opened. */
  async function start(extraKey?: string, makeFile?: () => void): Promise<FileKeyVerifier> {
    const verifier = await FileKeyVerifier.open(path, extraKey, captured.log, {
      addReading: (added) => (reading = added),
    });
    opened.push(verifier);
    makeFile?.();
    await verifier.start();
    return verifier;
  }

  /** The two seconds in which a change must take effect, and some more for a busy machine. */
  const soon = (holds: () => boolean) => until(holds, 3500);
  const messages = () => captured.lines.map(({ msg }) => msg);

  it("finds each key by its secret, under its name and a unique id, and nothing else", async () => {
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

  it("follows the file: a key that is added, revoked, or created again under an old name", async () => {
    store("old", "kept");
    const verifier = await start();
    const kept = verifier.find("kept")?.id;
    write(createKeyRecord("kept", "kept"), createKeyRecord("old", "new"));
    await soon(() => verifier.find("old") === undefined);
    expect(verifier.find("new")?.name).to.equal("old");
    expect(verifier.find("kept")?.id).to.equal(kept);
    expect(messages()).to.deep.equal(["keys reloaded"]);
  });

  it("treats a key as expired from the instant of its expiry", async () => {
    const expires = new Date(Date.now() + 60_000);
    write(createKeyRecord("short", "short", expires.toISOString()));
    const verifier = await start();
    let now = expires.getTime() - 1;
    mock.method(Date, "now", () => now);
    expect(verifier.find("short")).to.include({ name: "short", isExpired: false });
    now++;
    expect(verifier.find("short")).to.include({ name: "short", isExpired: true });
  });

  it("tells in how many days the next key expires", async () => {
    store("for-ever");
    await start();
    expect(reading.read()).to.equal(Infinity);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    write(...[-1, 9, 4, 300].map((days) => createKeyRecord("key", `${days}`, inDays(days))));
    await start();
    expect(reading.read()).to.be.closeTo(4, 0.01);
  });

  it("accepts one more key, even if the file has the same one as expired", async () => {
    write(createKeyRecord("old", "extra", new Date(1).toISOString()), createKeyRecord("a", "a"));
    const verifier = await start("extra");
    expect(verifier.names()).to.have.members(["a", "PETSTORE_API_KEY"]);
    expect(verifier.find("extra")).to.include({ name: "PETSTORE_API_KEY", isExpired: false });
    store("other");
    await soon(() => verifier.find("other") !== undefined);
    expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
  });

  it("keeps the previous keys while the file is corrupt, gone or unreadable, and logs it once", async () => {
    store("old");
    const verifier = await start();
    const corrupt = '{"version":1,"keys":[{"sha256":"SECRET"}]}';
    for (const lose of [() => writeFileSync(path, corrupt), () => rmSync(path), () => mkdirSync(path)]) {
      lose();
      await soon(() => captured.lines.length > 0);
      await sleep(600);
      expect(verifier.find("old")?.name).to.equal("old");
    }
    rmSync(path, { recursive: true });
    store("new");
    await soon(() => verifier.find("new") !== undefined);
    expect(verifier.find("old")).to.equal(undefined);
    const lost = "cannot reload the keys file; the previous keys stay valid";
    expect(messages()).to.deep.equal([lost, "keys reloaded"]);
    expect(captured.text()).not.to.include("SECRET");
  });

  it("opens and starts without a file, says how to create a key, and soon finds it", async () => {
    const verifier = await start("extra");
    expect(verifier.find("extra")?.name).to.equal("PETSTORE_API_KEY");
    expect(messages()).to.deep.equal(["the keys file has no key; create one with: petstore keys add NAME"]);
    await sleep(1200);
    store("first");
    await soon(() => verifier.find("first") !== undefined);
    expect(messages().slice(1)).to.deep.equal(["keys reloaded"]);
  });

  it("warns of a file without keys even if the settings have one, but not of one with that same key", async () => {
    store("extra");
    await start("extra");
    expect(messages()).to.deep.equal([]);
    store();
    await start("extra");
    expect(messages()).to.have.length(1);
  });

  it("does not open a corrupt file, and reads nothing once it is closed", async () => {
    writeFileSync(path, "{}");
    expect(await messageOf(start())).to.match(/corrupt/);
    store("old");
    const verifier = await start();
    verifier.close();
    store("new");
    await sleep(1200);
    expect(verifier.find("new")).to.equal(undefined);
  });
});
