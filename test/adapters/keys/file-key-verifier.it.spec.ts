import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { expect } from "chai";
import { FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
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
  /** Stores a key for each secret, under the secret as its name. */
  const store = (...secrets: string[]) => write(...secrets.map((secret) => createKeyRecord(secret, secret)));

  async function start(extraKey?: string): Promise<FileKeyVerifier> {
    const metrics = { addReading: (added: Reading) => (reading = added) };
    const verifier = await FileKeyVerifier.open(path, extraKey, captured.log, metrics);
    opened.push(verifier);
    await verifier.start();
    return verifier;
  }
  const messages = () => captured.lines.map(({ msg }) => msg);

  it("finds each key by its secret, under its name and a unique id, and nothing else", async () => {
    store("first", "second");
    const verifier = await start();
    const [first, second] = ["first", "second"].map((secret) => verifier.find(secret));
    expect([first?.name, second?.name]).to.deep.equal(["first", "second"]);
    expect(first?.id).to.match(/^[!-~]+$/);
    expect(second?.id).not.to.equal(first?.id);
    for (const other of ["", "firs", "FIRST", "\ud83d", "__proto__"])
      expect(verifier.find(other)).to.equal(undefined);
  });

  it("follows the file: a key that is added, revoked, or created again under an old name", async () => {
    store("old", "kept");
    const verifier = await start();
    const kept = verifier.find("kept")?.id;
    write(createKeyRecord("kept", "kept"), createKeyRecord("old", "new"));
    await until(() => verifier.find("old") === undefined, 3500);
    expect(verifier.find("new")?.name).to.equal("old");
    expect(verifier.find("kept")?.id).to.equal(kept);
    expect(messages()).to.deep.equal(["keys reloaded"]);
  });

  it("treats an expiry as an instant, as the list does, and one that JavaScript cannot parse as past", async () => {
    const now = Date.parse("2030-01-01T00:00:00Z");
    const forms = [
      "2030-01-01t05:00:00+05:00",
      "2029-12-31 13:00:00.000000000-1100",
      "2999-01-01T00:00:00+05",
    ];
    write(...forms.map((expires, n) => createKeyRecord(`k${n}`, `${n}`, expires)));
    const verifier = await start();
    let time = 0;
    // Mocks once, since after two mocks of one method `restoreAll` leaves the first.
    mock.method(Date, "now", () => time);
    for (const [instant, expired] of [
      [now - 1, [false, false, true]],
      [now, [true, true, true]],
    ] as const) {
      time = instant;
      expect(forms.map((_, n) => verifier.find(`${n}`)?.isExpired)).to.deep.equal(expired);
      expect((await new FileKeyStore(path).list()).map((key) => key.expired)).to.deep.equal(expired);
      expect(verifier.names()).to.have.length(expired.filter((is) => !is).length);
    }
  });

  it("tells in how many days the next key expires, and nothing finite if none does", async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    write(...[-1, 9, 4, 300].map((days) => createKeyRecord("key", `${days}`, inDays(days))));
    const verifier = await start();
    expect(reading.read()).to.be.closeTo(4, 0.01);
    store("for-ever");
    await verifier.reload();
    expect(reading.read()).to.equal(Infinity);
  });

  it("accepts one more key, even if the file lists the same key as expired", async () => {
    write(createKeyRecord("old", "extra", new Date(1).toISOString()), createKeyRecord("a", "a"));
    const verifier = await start("extra");
    expect(verifier.names()).to.have.members(["a", "PETSTORE_API_KEY"]);
    expect(verifier.find("extra")).to.include({ name: "PETSTORE_API_KEY", isExpired: false });
  });

  it("keeps the previous keys while the file is corrupt, gone or unreadable, and logs it once", async () => {
    store("old");
    const verifier = await start();
    const corrupt = '{"version":1,"keys":[{"sha256":"SECRET"}]}';
    for (const lose of [() => writeFileSync(path, corrupt), () => rmSync(path), () => mkdirSync(path)]) {
      lose();
      await verifier.reload();
      expect(verifier.find("old")?.name).to.equal("old");
    }
    rmSync(path, { recursive: true });
    store("new");
    await verifier.reload();
    expect(verifier.find("new")?.name).to.equal("new");
    expect(verifier.find("old")).to.equal(undefined);
    const lost = "cannot reload the keys file; previous keys stay valid";
    expect(messages()).to.deep.equal([lost, "keys reloaded"]);
    expect(captured.text()).not.to.include("SECRET");
  });

  it("starts without a file, says how to add a key, whatever the settings are, and finds the added key", async () => {
    const verifier = await start("extra");
    await verifier.reload();
    expect(messages()).to.deep.equal(["the keys file has no key; add one with: petstore keys add NAME"]);
    store("extra");
    await verifier.reload();
    expect(messages().slice(1)).to.deep.equal(["keys reloaded"]);
    await start("extra");
    expect(messages()).to.have.length(2);
  });

  it("does not open a corrupt file", async () => {
    writeFileSync(path, "{}");
    expect(await messageOf(start())).to.match(/corrupt/);
  });
});
