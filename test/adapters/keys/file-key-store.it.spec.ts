import {
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock } from "node:test";
import { expect } from "chai";
import { digestOf, KEY_FORM } from "../../../src/adapters/keys/api-key.js";
import { createFirstKey, FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { readKeys } from "../../../src/adapters/keys/keys-file.js";
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

  describe("made at the first start", () => {
    it("has its folders, the digest of one key and not the key, and is for its owner alone", async () => {
      path = join(folder(), "a/b/keys.json");
      const umask = process.umask(0);
      const secret = String(await createFirstKey(path).finally(() => process.umask(umask)));
      expect(secret)
        .to.match(/^petstore_[\w-]{32}$/)
        .and.match(KEY_FORM);
      expect(statSync(path).mode & 0o777).to.equal(0o600);
      expect(readFileSync(path, "utf8")).not.to.include(secret.slice("petstore_".length));
      const [key, ...others] = await readKeys(path);
      expect(key).to.deep.include({
        name: "default",
        sha256: digestOf(secret),
        expires: null,
      });
      expect(others).to.deep.equal([]);
      expect(readdirSync(join(folder(), "a/b"))).to.deep.equal(["keys.json"]);
    });

    it("is made once by many at the same time, with the key of the one that made it", async () => {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => createFirstKey(path)));
      const [made = "", ...others] = secrets.filter((secret) => secret !== undefined);
      expect(others).to.deep.equal([]);
      const [key] = await readKeys(path);
      expect(key?.sha256).to.equal(digestOf(made));
      expect(readdirSync(folder())).to.deep.equal(["keys.json"]);
    });

    it("is left alone where it is already, damaged or not", async () => {
      for (const text of ["", "damaged", '{"version":1,"keys":[]}']) {
        writeFileSync(path, text);
        expect(await createFirstKey(path)).to.equal(undefined);
        expect(readFileSync(path, "utf8")).to.equal(text);
      }
    });

    it("is made although a command has died and left its lock: a service must start", async () => {
      writeFileSync(`${path}.lockfile`, "");
      expect(await createFirstKey(path)).to.match(/^petstore_/);
    });
  });

  describe("changed by commands", () => {
    it("loses no change of several at once, and keeps no other file beside it", async () => {
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
      expect(secret).to.match(KEY_FORM);
      expect(await store.list()).to.deep.equal([description]);
      expect(description).to.include({ name: "one", expires });
      expect(await messageOf(store.add("one", null))).to.match(/There is a key named one; revoke it first/);
      expect(await messageOf(store.revoke("two"))).to.match(/No key is named two; petstore keys list shows/);
      await store.revoke("one");
      expect(await store.list()).to.deep.equal([]);
    });

    it("is on the disk under its name, for its owner alone, before a change is reported", async () => {
      await store.add("one", null);
      const calls: string[] = [];
      const { open, rename, writeFile } = fs;
      fs.writeFile = async (file, text, options) => {
        await writeFile(file, text, options);
        if (text) calls.push(`write ${JSON.stringify(options)}`);
      };
      fs.rename = async (from, to) => {
        expect(statSync(from).mode & 0o777).to.equal(0o600);
        await rename(from, to);
        calls.push("rename");
      };
      fs.open = async (...args) => {
        const handle = await open(...args);
        const sync = handle.sync.bind(handle);
        handle.sync = () => sync().then(() => void calls.push(`sync ${args[0]}`));
        return handle;
      };
      syncBuiltinESMExports();
      await store.revoke("one").finally(() => {
        Object.assign(fs, { open, rename, writeFile });
        syncBuiltinESMExports();
      });
      const written = `write ${JSON.stringify({ mode: 0o600, flag: "wx", flush: true })}`;
      expect(calls).to.deep.equal([written, "rename", `sync ${folder()}`]);
    });

    it("is the one at the end of a symlink", async () => {
      await store.add("one", null);
      const link = join(folder(), "link.json");
      symlinkSync("keys.json", link);
      await new FileKeyStore(link).revoke("one");
      expect(await store.list()).to.deep.equal([]);
      expect(readlinkSync(link)).to.equal("keys.json");
    });

    it("is locked meanwhile, and a lock that is left behind is named with what to do", async () => {
      await store.add("one", null);
      const lock = `${path}.lockfile`;
      writeFileSync(lock, "");
      const waiting = store.revoke("one");
      setTimeout(() => rmSync(lock), 100);
      await waiting;
      writeFileSync(lock, "");
      let now = 0;
      mock.method(performance, "now", () => (now += 1000));
      const message = `The keys are locked by ${lock}; if no petstore command is running, delete that file.`;
      expect(await messageOf(store.add("two", null)).finally(() => mock.restoreAll())).to.equal(message);
      rmSync(lock);
      expect(await store.list()).to.deep.equal([]);
    });
  });

  const key = { name: "a", sha256: "0".repeat(64), created: "2026-11-21T00:00:00.000Z", expires: null };
  const SOUND = {
    "of 3.0.0": { version: 1, keys: [key, { ...key, name: "b", expires: "2030-01-01T00:00:00.000Z" }] },
    "without keys": { version: 1, keys: [] },
    "with members of a later version": { version: 1, keys: [{ ...key, note: "x" }], note: "x" },
  };
  for (const [what, content] of Object.entries(SOUND)) {
    it(`${what} is read, whatever its mode`, async () => {
      for (const mode of [0o777, 0o440]) {
        writeFileSync(path, JSON.stringify(content), { mode });
        expect(await readKeys(path)).to.have.length(content.keys.length);
        rmSync(path);
      }
    });
  }

  const DAMAGED: Record<string, unknown> = {
    "is empty": "",
    "is no object": null,
    "is of another version": { version: 2, keys: [] },
    "has a key without a name": { version: 1, keys: [{ ...key, name: "" }] },
    "has a key in place of its digest": { version: 1, keys: [{ ...key, sha256: "SECRET" }] },
    "has an expiry without a zone": { version: 1, keys: [{ ...key, expires: "2030-01-01T00:00:00" }] },
  };
  for (const [what, content] of Object.entries(DAMAGED)) {
    it(`is refused with what to do, and without its content, if it ${what}`, async () => {
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      const message = `The keys file ${path} is damaged; restore it from a backup, or move it away.`;
      expect(await messageOf(store.list())).to.equal(message);
    });
  }

  it("is refused with what to do if it cannot be read or written", async () => {
    writeFileSync(path, "");
    for (const place of [folder(), join(path, "keys.json")]) {
      const below = new FileKeyStore(place);
      for (const use of [() => below.list(), () => below.add("one", null), () => below.revoke("one")]) {
        expect(await messageOf(use())).to.match(
          /^The keys file .* cannot be used; correct the path, its owner or mode/,
        );
      }
    }
  });
});
