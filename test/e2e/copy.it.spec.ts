import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { ArchivedPet } from "../../src/application/ports/pet-archive.js";
import { catalogueOf, readCatalogue, writeCatalogue } from "../support/catalogues.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { PROGRAM, Program, runProgram } from "../support/start-program.js";
import { hasTool } from "../support/tool.js";

const RESULT = /^copied (\d+), present (\d+), verified (\d+) in \d+\.\d s\n$/;

describe("petstore copy", () => {
  const folder = inEmptyFolder();

  const urlOf = (name: string) => `sqlite:${join(folder(), name)}`;
  const copy = (...args: string[]) => runProgram({ cwd: folder(), args: ["copy", ...args] });

  async function expectCopied(args: string[], ...counts: number[]): Promise<string> {
    const { code, stdout, stderr } = await copy(...args);
    expect({ code, stderr: code === 0 ? "" : stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(RESULT.exec(stdout)?.slice(1).map(Number)).to.deep.equal(counts);
    return stderr;
  }

  /** Settings with acme:slow, a storage of 3000 pets that gives a thousand in 0.3 s, and no more while there is a file "hold". */
  function slowSource(): Record<string, string> {
    const source = outsideStorage(`
      durable: true,
      async open() {
        const pets = new Pets();
        for (let n = 1; n <= 3000; n++) await pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
        const { readPets } = pets;
        pets.readPets = async (range) => {
          await sleep(300);
          for (; range.after > 0n && existsSync("hold"); await sleep(20)) writeFileSync("held", "");
          return readPets.call(pets, range);
        };
        return storageOf(pets);
      },`);
    const imports = `
      import { existsSync, writeFileSync } from "node:fs";
      import { setTimeout as sleep } from "node:timers/promises";`;
    return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "slow.mjs", imports + source) };
  }

  it("copies, reminds of the keys file, adds pets that came since, verifies, and prints JSON for scripts", async () => {
    const [from, to] = [urlOf("from.db"), urlOf("to.db")];
    await writeCatalogue(from, catalogueOf([1, 2, 5, 2n ** 53n - 1n]));
    expect(await expectCopied([from, to], 4, 0, 4)).to.match(/move the keys file/);
    await writeCatalogue(from, catalogueOf([3, 4]));
    await expectCopied([from, to], 2, 4, 6);
    await expectCopied(["--verify", from, to], 0, 6, 6);
    const { seconds, ...counts } = JSON.parse((await copy("--json", from, to)).stdout);
    expect(counts).to.deep.equal({ copied: 0, present: 6, verified: 6, meanwhile: 0 });
    expect(seconds).to.be.a("number");
    expect(await readCatalogue(to)).to.deep.equal(await readCatalogue(from));
  });

  it("ends with 3 while pets come to FROM, even behind the comparison's place, and with 0 once TO has all", async () => {
    const source = outsideStorage(`
      durable: true,
      async open() {
        const pets = new Pets();
        for (let n = 0; n < 10; n++) await pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
        const { readPets } = pets;
        let reads = 0;
        pets.readPets = async (range) => {
          const found = await readPets.call(pets, range);
          // The second read is the comparison's.
          if (process.env.BUSY && ++reads === 2) await pets.create({ name: "late", categoryId: 7n, status: "sold" });
          return found;
        };
        return storageOf(pets);
      },`);
    const PETSTORE_STORAGE_ADAPTERS = writeModule(folder(), "busy.mjs", source);
    const run = (env = {}, ...options: string[]) =>
      runProgram({
        cwd: folder(),
        args: ["copy", "--json", ...options, "acme:x", "sqlite:to.db"],
        env: { PETSTORE_STORAGE_ADAPTERS, ...env },
      });
    const busy = await run({ BUSY: "1" });
    expect(busy.code, busy.stderr).to.equal(3);
    expect(busy.stderr).to.match(/^petstore: 1 or more pets came to FROM meanwhile, .*: run it again\.$/m);
    expect(JSON.parse(busy.stdout)).to.include({ copied: 10, verified: 10, meanwhile: 1 });
    const idle = await run();
    expect(idle.code, idle.stderr).to.equal(0);
  });

  it("shows a bar on a terminal, and removes it at the end", async function () {
    if (!hasTool("script", "the progress bar")) this.skip();
    // script(1) gives the command a terminal, and prints the command's output there.
    const command = `"${process.execPath}" "${PROGRAM}" copy acme:slow sqlite:to.db`;
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: folder(),
      encoding: "utf8",
      env: { ...process.env, ...slowSource(), TERM: "xterm" },
    });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/copying +[█░]{16} \d+% +\d+\/\d+ pets +\d+ pets\/s/);
    expect(stdout).to.match(/verifying [█░]{16}/);
    const [last = ""] = stdout.trimEnd().split("\n").slice(-1);
    expect(last).to.match(/^copied 3000, present 0, verified 3000 in/);
  });

  describe("says that a storage cannot take part, with exit code 2 and nothing made", () => {
    async function expectNoPart(args: string[], message: RegExp, env = {}): Promise<void> {
      const { code, stdout, stderr } = await runProgram({ cwd: folder(), args: ["copy", ...args], env });
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(message);
      expect(stderr.trim().split("\n")).to.have.length(1);
    }

    it("if it is not durable", async () => {
      await writeCatalogue(urlOf("from.db"), []);
      const told = /^petstore: FROM: memory: keeps pets in its own process/;
      await expectNoPart(["memory:", urlOf("to.db")], told);
      await expectNoPart([urlOf("from.db"), "memory:"], /^petstore: TO: memory: keeps pets/);
      expect(existsSync(join(folder(), "to.db"))).to.equal(false);
    });

    it("if no storage has its scheme, or its URL has a fault", async () => {
      await expectNoPart(["bogus:x", urlOf("to.db")], /FROM: .*must be/);
      await writeCatalogue(urlOf("from.db"), []);
      await expectNoPart([urlOf("from.db"), "sqlite:"], /TO: .*must have/);
    });

    it("if FROM does not exist, or if TO does not exist and the command only verifies", async () => {
      await expectNoPart([urlOf("from.db"), urlOf("to.db")], /FROM: The SQLite file .* is not there/);
      await writeCatalogue(urlOf("from.db"), catalogueOf([1]));
      const verifying = ["--verify", urlOf("from.db"), urlOf("to.db")];
      await expectNoPart(verifying, /TO: The SQLite file .* is not there/);
      expect(existsSync(join(folder(), "to.db"))).to.equal(false);
    });

    it("if FROM is empty: it has no pet, and never gave an id", async () => {
      await writeCatalogue(urlOf("from.db"), []);
      await expectNoPart([urlOf("from.db"), urlOf("to.db")], /FROM has no pet, and never gave an id/);
      expect(existsSync(join(folder(), "to.db"))).to.equal(false);
    });

    it("if both URLs name the same storage, however they are spelt", async () => {
      await writeCatalogue(urlOf("one.db"), catalogueOf([1]));
      symlinkSync(join(folder(), "one.db"), join(folder(), "soft.db"));
      linkSync(join(folder(), "one.db"), join(folder(), "hard.db"));
      const before = readFileSync(join(folder(), "one.db"));
      const around = `../${folder().split("/").at(-1)}/one.db`;
      for (const name of ["one.db", "./one.db", around, "soft.db", "hard.db"]) {
        await expectNoPart([urlOf("one.db"), `sqlite:${name}`], /are the same storage/);
      }
      expect(readFileSync(join(folder(), "one.db")).equals(before)).to.equal(true);
    });

    it("if it has no archive", async () => {
      const source = outsideStorage(`
          durable: true,
          open: async () => ({ pets: new Pets(), async ping() {}, async close() {} }),`);
      const env = { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
      await expectNoPart(["acme:x", urlOf("to.db")], /FROM: .*acme:NAME.*has no archive/, env);
    });

    it("if it holds more than its archive moves", async () => {
      const source = outsideStorage(`
          durable: true,
          open: async () => {
            const archive = Object.assign(new Pets(), { highestId: async () => 1n });
            const unarchived = async () => "orders";
            return { pets: new Pets(), archive, unarchived, async ping() {}, async close() {} };
          },`);
      const PETSTORE_STORAGE_ADAPTERS = writeModule(folder(), "acme.mjs", source);
      await writeCatalogue(urlOf("from.db"), catalogueOf([1]));
      for (const [args, side] of [
        [["acme:x", urlOf("to.db")], "FROM"],
        [[urlOf("from.db"), "acme:x"], "TO"],
      ] as const) {
        const message = new RegExp(`${side} holds orders, which a copy cannot move`);
        await expectNoPart([...args], message, { PETSTORE_STORAGE_ADAPTERS });
      }
      expect(existsSync(join(folder(), "to.db"))).to.equal(false);
    });
  });

  it("shows no password in what the operations of a storage log, and reject with", async () => {
    const url = "acme://user:s3cret@host/pets";
    const source = outsideStorage(`
      durable: true,
      async open(url, { log }) {
        const pets = new Pets();
        pets.ping = async () => log.warn("connects to user:s3cret@host");
        pets.readPets = async () => { throw new Error("refused by " + url, { cause: new Error("as user:s3cret@host") }); };
        return storageOf(pets);
      },`);
    const PETSTORE_STORAGE_ADAPTERS = writeModule(folder(), "acme.mjs", source);
    const args = ["copy", url, urlOf("to.db")];
    const { code, stderr } = await runProgram({ cwd: folder(), args, env: { PETSTORE_STORAGE_ADAPTERS } });
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      "FROM: connects to user:***@host\n" +
        "petstore: FROM: refused by acme://user:***@host/pets (as user:***@host)\n",
    );
  });

  // `copy-catalogue.spec.ts` and `messages.spec.ts` have every difference.
  it("refuses, with exit code 1, a target with another pet, and names it without a value, also if it only verifies", async () => {
    const pets = catalogueOf([1, 2, 3]);
    const changed = catalogueOf([1, 2, 3]);
    Object.assign((changed[1] as ArchivedPet).pet, { name: "Secret" });
    const urls = [urlOf("from.db"), urlOf("to.db")] as const;
    await writeCatalogue(urls[0], pets);
    await writeCatalogue(urls[1], changed);
    for (const args of [urls, ["--verify", ...urls]]) {
      const { code, stderr } = await copy(...args);
      expect(code).to.equal(1);
      expect(stderr)
        .to.match(/pet 2 differs in its name/)
        .and.not.include("Secret");
    }
    expect(await readCatalogue(urls[1])).to.deep.equal(changed);
  });

  for (const [signal, exitCode, told] of [
    ["SIGINT", 130, /interrupted\. Run the same command again/],
    ["SIGTERM", 143, /interrupted\. Run the same command again/],
    ["SIGKILL", null, /^/],
  ] as const) {
    it(`ends at ${signal}, also while a storage gives no answer, and the same command goes on`, async () => {
      const hold = join(folder(), "hold");
      writeFileSync(hold, "");
      const command = { cwd: folder(), args: ["copy", "acme:slow", "sqlite:to.db"], env: slowSource() };
      const running = new Program(command);
      await until(() => existsSync(join(folder(), "held")));
      const stopping = running.stop(signal);
      if (exitCode !== null) await until(() => running.stderr.includes("interrupted"));
      rmSync(hold);
      const { code, stdout, stderr } = await stopping;
      expect({ code, stdout }).to.deep.equal({ code: exitCode, stdout: "" });
      expect(stderr).to.match(told);
      const there = (await readCatalogue(urlOf("to.db"))).length;
      expect(there).to.be.lessThan(3000);
      const rest = await runProgram(command);
      expect(rest.stdout).to.match(new RegExp(`^copied ${3000 - there}, present ${there}, verified 3000 in`));
    });
  }
});
