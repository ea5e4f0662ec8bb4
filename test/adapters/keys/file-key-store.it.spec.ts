import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { NO_LINK } from "../../../src/adapters/keys/file-lock.js";
import { readKeysFile } from "../../../src/adapters/keys/keys-file.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { leaveOut } from "../../support/left-out.js";

describe("FileKeyStore", () => {
  let path: string;
  let store: FileKeyStore;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "keys.json");
    store = new FileKeyStore(path, true);
  });

  it("loses no change of several at once, and leaves only the file and its mark", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    await Promise.all(names.map((name) => store.add(name, null)));
    expect((await store.list()).map(({ name }) => name)).to.have.members(names);
    await Promise.all([store.revoke("key-3"), new FileKeyStore(path, true).revoke("key-4")]);
    expect(await store.list()).to.have.length(18);
    expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
  });

  it("goes on after a change that failed", async () => {
    await store.add("one", null);
    const error = await store.add("one", null).catch((reason) => reason);
    expect(error.message).to.include("There is a key named one");
    const expiry = "2030-01-01T00:00:00.000Z";
    await store.add("two", expiry);
    expect((await store.list()).map(({ expires }) => expires)).to.deep.equal([null, expiry]);
  });

  it("says what to correct if it cannot write or read the file", async () => {
    writeFileSync(path, "");
    const below = new FileKeyStore(join(path, "keys.json"), true);
    for (const work of [below.add("one", null), store.list()]) {
      const error = await work.catch((reason) => reason);
      expect(error.message).to.match(/^The keys file .*; (?:correct|run:) /);
    }
  });

  it("changes the file at the end of a link, and no other", async () => {
    await store.add("one", null);
    await store.add("two", null);
    const link = join(folder(), "link.json");
    symlinkSync(path, link);
    await new FileKeyStore(link, true).revoke("one");
    expect((await store.list()).map(({ name }) => name)).to.deep.equal(["two"]);
    expect(readlinkSync(link)).to.equal(path);
  });

  it("makes a file only where one was, unless it may", async () => {
    const careful = new FileKeyStore(join(folder(), "new/keys.json"), false);
    for (const work of [careful.add("one", null), careful.list(), careful.revoke("one")]) {
      const error = await work.catch((reason) => reason);
      expect(error.message).to.match(/keys file .*new\/keys\.json.*; (set|correct) .*\.$/);
    }
    expect(readdirSync(folder())).to.deep.equal([]);
  });

  it("adds no key in place of a file that is gone: every client would be locked out", async () => {
    await store.add("one", null);
    rmSync(path);
    for (const work of [store.add("two", null), store.list(), store.revoke("one")]) {
      const error = await work.catch((reason) => reason);
      expect(error.message).to.match(/keys\.json is (gone|not there); .*\.$/);
    }
    expect(readdirSync(folder())).to.deep.equal(["keys.json.made"]);
  });

  it("takes over the lock of a process of this machine that has ended, and only one of many does so", async () => {
    const { pid } = spawnSync("true");
    for (let round = 0; round < 5; round++) {
      writeFileSync(`${path}.changing`, `${hostname()} ${pid} ${round}`);
      await Promise.all(Array.from({ length: 10 }, (_, n) => store.add(`key-${round}-${n}`, null)));
    }
    expect(await store.list()).to.have.length(50);
    expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
  });

  it("takes over the lock although a process has ended while it did so", async () => {
    const { pid } = spawnSync("true");
    for (const end of ["", ".dead", ".dead.dead"]) {
      writeFileSync(`${path}.changing${end}`, `${hostname()} ${pid} ${end}`);
    }
    await Promise.all(Array.from({ length: 10 }, (_, n) => store.add(`key-${n}`, null)));
    expect(await store.list()).to.have.length(10);
    expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
  });

  it("follows no link in place of its mark, or of another user to its file", async () => {
    const precious = join(folder(), "precious");
    writeFileSync(precious, "precious", { mode: 0o600 });
    await store.add("one", null);
    rmSync(`${path}.made`);
    const nowhere = join(folder(), "nowhere");
    symlinkSync(nowhere, `${path}.made`);
    await store.add("dangling", null);
    expect((await store.list()).map(({ name }) => name)).to.deep.equal(["one", "dangling"]);
    expect(existsSync(nowhere)).to.equal(false);
    rmSync(`${path}.made`);
    symlinkSync(precious, `${path}.made`);
    expect(await messageOf(readKeysFile(`${path}.made`, NO_LINK))).to.include("cannot be read");
    await store.add("two", null);
    expect([readFileSync(precious, "utf8"), statSync(precious).mode & 0o777]).to.deep.equal([
      "precious",
      0o600,
    ]);
    if (process.getuid?.() !== 0) return;
    const service = 12345;
    chownSync(folder(), service, service);
    await store.add("three", null);
    expect(statSync(precious).uid).to.equal(0);
    const link = join(folder(), "link.json");
    symlinkSync(path, link);
    lchownSync(link, service, service);
    const error = await new FileKeyStore(link, true).add("four", null).catch((reason) => reason);
    expect(error.message).to.match(/is a link of another user; name the file/);
  });

  it("says what to delete if a killed process has left its lock", async () => {
    writeFileSync(`${path}.changing`, "");
    const error = await store.add("one", null).catch((reason) => reason);
    expect(error.message).to.match(/locked by .*keys\.json\.changing; .* delete that file\.$/);
  });

  it("changes the file although a command of 1.0.0 has left its lock", async () => {
    writeFileSync(`${path}.lock`, "");
    await store.add("one", null);
    expect(await store.list()).to.have.length(1);
  });

  it("leaves the file to its owner if root changes it, and to the folder's owner if root makes it", async function () {
    if (process.getuid?.() !== 0) {
      leaveOut("the owner of a keys file", "run the tests as root");
      this.skip();
    }
    const service = 12345;
    chownSync(folder(), service, service);
    await store.add("one", null);
    for (const file of ["keys.json", "keys.json.made"]) {
      expect(statSync(join(folder(), file)).uid, file).to.equal(service);
    }
    chownSync(path, service + 1, service + 1);
    await store.add("two", null);
    expect(statSync(path).uid).to.equal(service + 1);
  });
});
