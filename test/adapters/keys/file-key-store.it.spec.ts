import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock } from "node:test";
import { expect } from "chai";
import { createFirstKey, FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { digestOf, type KeyRecord, readKeys, reject } from "../../../src/adapters/keys/keys-file.js";
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
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  const namesIn = async () => (await store.list()).map(({ name }) => name);

  describe("created at the first start", () => {
    it("comes with its folders, contains the digest of one key and not the key, and is its owner's alone", async () => {
      path = join(folder(), "a/b/keys.json");
      const umask = process.umask(0);
      const secret = String(await createFirstKey(path).finally(() => process.umask(umask)));
      expect(secret).to.match(/^petstore_[\w-]{32}$/);
      expect(statSync(path).mode & 0o777).to.equal(0o600);
      expect(readFileSync(path, "utf8")).not.to.include(secret.slice("petstore_".length));
      const [{ created, ...key }] = (await readKeys(path)) as [KeyRecord];
      expect(key).to.deep.equal({ name: "default", sha256: digestOf(secret), expires: null });
    });

    /** Creates the file 20 times at once, and asserts that one of them returned its key. */
    async function createAtOnce(): Promise<void> {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => createFirstKey(path)));
      const [created = "", ...others] = secrets.filter((secret) => secret !== undefined);
      expect(others).to.deep.equal([]);
      expect(await readKeys(path)).to.have.nested.property("[0].sha256", digestOf(created));
      expect(readdirSync(folder())).to.deep.equal(["keys.json"]);
    }

    it("is created once by many at the same time, with the key of the one that created it", createAtOnce);

    it("is created once by many at the same time on a disk without hard links", async () => {
      const failures: (() => void)[] = [];
      mock.method(fs, "link", () => {
        const failed = new Promise((_, reject) => failures.push(() => reject(new Error("no links"))));
        if (failures.length === 20) for (const fail of failures) fail();
        return failed;
      });
      syncBuiltinESMExports();
      await createAtOnce();
    });

    it("is created although a command died and left its lock, and left alone where it exists", async () => {
      writeFileSync(`${path}.lockfile`, "");
      expect(await createFirstKey(path)).to.match(/^petstore_/);
      writeFileSync(path, "damaged");
      expect(await createFirstKey(path)).to.equal(undefined);
      expect(readFileSync(path, "utf8")).to.equal("damaged");
    });
  });

  it("is on the disk before it gets its name, and its name before a key is shown", async () => {
    const calls: string[] = [];
    const { writeFile, link, rename, open } = fs;
    mock.method(fs, "writeFile", (...args: Parameters<typeof writeFile>) => {
      if (Object(args[2]).flush) calls.push("write");
      return writeFile(...args);
    });
    mock.method(fs, "link", (...paths: [string, string]) => link(...paths).then(() => calls.push("link")));
    mock.method(fs, "rename", (...paths: [string, string]) =>
      rename(...paths).then(() => calls.push("rename")),
    );
    mock.method(fs, "open", async (file: string) => {
      const handle = await open(file);
      mock.method(handle, "sync", async () => calls.push(file === folder() ? "sync" : file));
      return handle;
    });
    syncBuiltinESMExports();
    await createFirstKey(path);
    await store.add("one", null);
    expect(calls).to.deep.equal(["write", "link", "sync", "write", "rename", "sync"]);
  });

  it("loses no concurrent change, and leaves no other file", async () => {
    const names = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    const first = createFirstKey(path);
    await Promise.all([first, ...names.map((name) => new FileKeyStore(path).add(name, null))]);
    expect((await namesIn()).filter((name) => name !== "default")).to.have.members(names);
    await Promise.all(names.slice(5).map((name) => new FileKeyStore(path).revoke(name)));
    expect((await namesIn()).filter((name) => name !== "default")).to.have.members(names.slice(0, 5));
    expect(readdirSync(folder())).to.deep.equal(["keys.json"]);
  });

  it("assigns each name one key, with its expiry, and says what to do about any other name", async () => {
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

  it("is changed where a symlink points to", async () => {
    await store.add("one", null);
    symlinkSync("keys.json", join(folder(), "link.json"));
    await new FileKeyStore(join(folder(), "link.json")).revoke("one");
    expect(await store.list()).to.deep.equal([]);
  });

  it("is not changed while it is locked, and a stale lock is named", async () => {
    await createFirstKey(path);
    const lock = `${path}.lockfile`;
    writeFileSync(lock, "");
    let now = 0;
    mock.method(performance, "now", () => (now += 5000));
    expect(await messageOf(store.revoke("default"))).to.include(lock);
    expect(await namesIn()).to.deep.equal(["default"]);
  });

  const key = { name: "a", sha256: "0".repeat(64), created: "2026-11-21T00:00:00.000Z", expires: null };
  it("is read as 3.0.0 or a later version wrote it, with members that this version does not know", async () => {
    const expiring = { ...key, name: "b", expires: "2030-01-01T00:00:00.000Z", note: "x" };
    writeFileSync(path, JSON.stringify({ version: 1, keys: [key, expiring], note: "x" }));
    expect(await namesIn()).to.deep.equal(["a", "b"]);
  });

  it("is refused without showing its content if it is corrupt", async () => {
    const withKey = (members: object) => JSON.stringify({ version: 1, keys: [{ ...key, ...members }] });
    const expiry = { expires: "2030-01-01T00:00:00" };
    for (const text of ["", '{"version":2,"keys":[]}', withKey({ sha256: "SECRET" }), withKey(expiry)]) {
      writeFileSync(path, text);
      expect(await messageOf(store.list()))
        .to.match(/corrupt/)
        .and.not.include("SECRET");
    }
  });

  it("is refused by its path if it cannot be read or written", async () => {
    const below = new FileKeyStore(folder());
    for (const use of [() => below.list(), () => below.add("one", null), () => below.revoke("one")]) {
      expect(await messageOf(use())).to.match(/^The keys file .* cannot be used: check its path/);
    }
  });

  it("is to be mounted with its folder, since a change replaces it", () => {
    for (const code of ["EBUSY", "EXDEV", "EROFS"]) {
      const error = Object.assign(new Error(), { code });
      expect(() => reject("keys.json", error)).to.throw(/mount its folder, writable/);
    }
  });
});
