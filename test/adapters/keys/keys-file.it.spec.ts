import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { digestOf } from "../../../src/adapters/keys/api-key.js";
import {
  changeKeysFile,
  createKeysFile,
  writeKeysFile,
} from "../../../src/adapters/keys/change-keys-file.js";
import { readKeysFile } from "../../../src/adapters/keys/keys-file.js";
import { messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";

describe("keys file", () => {
  let path: string;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "keys.json");
  });

  const shown = async () => true;
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const refusal = () => messageOf(readKeysFile(path));

  describe("made at first start", () => {
    it("holds one key's digest, not the key, and only its owner may read it", async () => {
      const umask = process.umask(0);
      const secret = await createKeysFile(path, shown).finally(() => process.umask(umask));
      expect(secret).to.match(/^petstore_/);
      expect(modeOf(path)).to.equal(0o600);
      const text = readFileSync(path, "utf8");
      expect(text).to.not.include(secret?.slice("petstore_".length));
      const [key, ...others] = await readKeysFile(path);
      expect(others).to.deep.equal([]);
      const sha256 = digestOf(secret as string).toString("hex");
      expect(key).to.deep.include({ name: "default", sha256, expires: null });
      expect(Math.abs(Date.parse(key?.created as string) - Date.now())).to.be.lessThan(60_000);
      expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
    });

    it("gets the folders it needs", async () => {
      path = join(folder(), "a/b/keys.json");
      expect(await createKeysFile(path, shown)).to.be.a("string");
      expect(await readKeysFile(path)).to.have.length(1);
    });

    it("is left alone if it is there already, damaged or not", async () => {
      await createKeysFile(path, shown);
      for (const text of [readFileSync(path, "utf8"), "damaged", ""]) {
        writeFileSync(path, text);
        expect(await createKeysFile(path, shown)).to.equal(undefined);
        expect(readFileSync(path, "utf8")).to.equal(text);
      }
    });

    it("is not made again if it was lost, and the refusal says what to do", async () => {
      await createKeysFile(path, shown);
      rmSync(path);
      const message = await createKeysFile(path, shown).catch((error: Error) => error.message);
      expect(message).to.match(/keys\.json is gone; restore it .* delete .*keys\.json\.made\.$/);
      expect(existsSync(path)).to.equal(false);
      expect(await messageOf(changeKeysFile(path, () => []))).to.equal(message);
      expect(existsSync(path)).to.equal(false);
      rmSync(`${path}.made`);
      expect(await createKeysFile(path)).to.equal(undefined);
      expect(await readKeysFile(path)).to.deep.equal([]);
    });

    it("is not made in place of a link that leads nowhere: perhaps its disk is not mounted", async () => {
      symlinkSync(join(folder(), "away/keys.json"), path);
      const message = await createKeysFile(path, shown).catch((error: Error) => error.message);
      expect(message).to.match(/keys\.json is gone; /);
    });

    it("is made once if many first starts race, and holds the key that was shown", async () => {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => createKeysFile(path, shown)));
      const made = secrets.filter((secret) => secret !== undefined);
      expect(made).to.have.length(1);
      const [key] = await readKeysFile(path);
      expect(key?.sha256).to.equal(digestOf(made[0] as string).toString("hex"));
      expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
    });
  });

  describe("written", () => {
    it("takes its name in one step, for its owner alone, and is on the disk before the write is reported as done", async () => {
      const calls: string[] = [];
      const { open, rename } = fs;
      fs.rename = async (...paths) => {
        expect(modeOf(paths[0] as string)).to.equal(0o600);
        await rename(...paths);
        calls.push("rename");
      };
      fs.open = async (...args) => {
        const handle = await open(...args);
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          await sync();
          calls.push(`sync ${args[0]}`);
        };
        return handle;
      };
      syncBuiltinESMExports();
      try {
        await writeKeysFile(path, []);
      } finally {
        Object.assign(fs, { open, rename });
        syncBuiltinESMExports();
      }
      const renamed = calls.indexOf("rename");
      expect(calls.slice(0, renamed)).to.have.length(1);
      expect(calls[0]).to.match(/^sync .*keys\.json\.[0-9a-f]+$/);
      expect(calls.slice(renamed + 1)).to.include(`sync ${folder()}`);
    });

    it("stays as it was, and leaves nothing behind, if writing fails", async () => {
      mkdirSync(path);
      const failure = await writeKeysFile(path, []).catch((error: Error) => error);
      expect(failure).to.be.instanceOf(Error);
      expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json"]);
    });
  });

  describe("read", () => {
    const created = "2026-11-21T00:00:00.000Z";
    const key = { name: "default", sha256: "0".repeat(64), created, expires: null };
    /** A file with this key, but for some members. */
    const keyWith = (members: object) => ({ version: 1, keys: [{ ...key, ...members }] });
    const write = (content: unknown) => {
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
    };

    it("may hold no key, and members that a later version adds", async () => {
      write({ version: 1, keys: [] });
      expect(await readKeysFile(path)).to.deep.equal([]);
      write({ version: 1, keys: [{ ...key, note: "x" }], note: "x" });
      expect(await readKeysFile(path)).to.deep.equal([key]);
    });

    for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666]) {
      it(`is refused with the mode ${mode.toString(8)}, which lets others read or write it`, async () => {
        write({ version: 1, keys: [key] });
        chmodSync(path, mode);
        const told = `The keys file ${path} may be read by others; run: chmod 600 ${path}`;
        expect(await refusal()).to.equal(told);
      });
    }

    it("is refused if it is a folder, whatever its mode", async () => {
      mkdirSync(path, { mode: 0o755 });
      expect(await refusal()).to.equal(`The keys file ${path} is no file; name one, e.g. ./data/keys.json.`);
    });

    it("may be read-only", async () => {
      write({ version: 1, keys: [key] });
      chmodSync(path, 0o400);
      expect(await readKeysFile(path)).to.have.length(1);
    });

    for (const [what, content, told] of [
      ["is empty", "", "it is not JSON"],
      ["is no object", "null", "it is not as it must be"],
      ["is of another version", { version: 2, keys: [] }, "version is not as it must be"],
      ["has a key without name", { version: 1, keys: [key, { ...key, name: "" }] }, "keys.1.name is not"],
      ["has a key as digest", keyWith({ sha256: "SECRET" }), "keys.0.sha256 is not"],
      ["has an expiry without zone", keyWith({ expires: "2026-01-01T00:00:00" }), "keys.0.expires is not"],
      ["has no expiry", keyWith({ expires: undefined }), "keys.0.expires is not"],
    ] as const) {
      it(`is refused if it ${what}`, async () => {
        write(content);
        const message = await refusal();
        expect(message).to.include(`The keys file ${path} is damaged: ${told}`);
        expect(message).to.include("restore it from a backup, or move it away");
        expect(message).to.not.include("SECRET");
      });
    }
  });
});
