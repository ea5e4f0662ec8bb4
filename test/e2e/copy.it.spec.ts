import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { type ArchivedPet, PetConflict } from "../../src/application/ports/pet-archive.js";
import { STORAGE_API, type Storage, type StorageAdapter } from "../../src/application/storage-adapter.js";
import { copy } from "../../src/commands/copy.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { Storages } from "../../src/storages.js";
import { catalogueOf, fill, readCatalogue, writeCatalogue } from "../support/catalogues.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { hasTool } from "../support/left-out.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { PROGRAM, Program, runProgram } from "../support/start-program.js";

type Memory = MemoryPetRepository & Partial<Pick<Storage, "ping">>;
const memory = (...ids: number[]) => fill(new MemoryPetRepository(), catalogueOf(ids));

/** An adapter of acme:NAME, which has these storages by name. `opened` gets each URL, and whether it may be created. */
function acme(storages: Record<string, Memory>, opened: string[] = []): StorageAdapter {
  return {
    api: STORAGE_API,
    schemes: ["acme"],
    form: "acme:NAME",
    shared: true,
    durable: true,
    check: () => undefined,
    async open(url, { mayMake }): Promise<Storage> {
      opened.push(`${url} ${mayMake}`);
      const pets = storages[url.replace(/.*[:/]/, "")];
      const rest = { ping: pets?.ping ?? (async () => {}), close: async () => {} };
      return pets ? { pets, archive: pets, ...rest } : { pets: new MemoryPetRepository(), ...rest };
    },
  };
}

/** Runs the command in this process. Resolves to what it found, or to the failure. */
async function run(from: string, to: string, adapter = acme({}), mayWrite = true) {
  const { list } = await Storages.load();
  const storages = new Storages([...list, { adapter, from: "test", module: null }], []);
  return copy(storages, from, to, mayWrite, () => {}).catch((error) => error);
}

describe("petstore copy", () => {
  const folder = inEmptyFolder();
  const [from, to] = [() => `sqlite:${folder()}/from.db`, () => `sqlite:${folder()}/to.db`];
  const runCommand = (...args: string[]) => runProgram({ cwd: folder(), args: ["copy", ...args] });
  // SQLite removes its -wal and -shm at any close.
  const databases = () => readdirSync(folder()).filter((name) => name.endsWith(".db"));

  it("prints a line, or JSON for scripts; adds what is new, and exits with what it found", async () => {
    await writeCatalogue(from(), catalogueOf([1, 2, 5, 2n ** 53n - 1n]));
    const first = await runCommand(from(), to());
    expect(first).to.include({ code: 0, stderr: "" });
    expect(first.stdout).to.match(/^copied 4, present 0, verified 4 in \d+\.\d s\n$/);
    await writeCatalogue(from(), catalogueOf([3, 4]));
    const { code, stdout } = await runCommand("--json", from(), to());
    expect(code).to.equal(0);
    const { seconds, ...counts } = JSON.parse(stdout);
    expect(counts).to.deep.equal({ copied: 2, present: 4, verified: 6, meanwhile: 0 });
    expect(seconds).to.be.a("number");
    expect(await readCatalogue(to())).to.deep.equal(await readCatalogue(from()));
    const failed = await runCommand("--verify", "sqlite:gone.db", to());
    expect(failed).to.deep.include({ code: 2, stdout: "" });
    expect(failed.stderr).to.match(/^petstore: FROM: .*gone\.db.*\n$/);
  });

  it("changes nothing if TO has everything, TO is FROM, or it only compares", async () => {
    for (const url of [from(), to()]) await writeCatalogue(url, catalogueOf([1, 2]));
    const counts = { copied: 0, present: 2, verified: 2, meanwhile: 0 };
    for (const [target, mayWrite] of [
      [to(), true],
      [from(), true],
      [to(), false],
    ] as const) {
      const found = await run(from(), target, undefined, mayWrite);
      expect(found).to.deep.equal({ exitCode: 0, messages: [], counts });
    }
  });

  it("exits with 3 if a pet appears in FROM where the comparison has passed, with 0 once TO has all, whatever FROM counts", async () => {
    for (const mayWrite of [true, false]) {
      const storages = { from: await memory(11, 12), to: await memory(11, 12) };
      const { readPets } = storages.from;
      let reads = 0;
      storages.from.countPets = async () => reads;
      storages.from.readPets = async (range) => {
        const page = await readPets.call(storages.from, range);
        // The last walk but one: after the look whether FROM is empty, and in a copy after a first comparison.
        if (++reads === (mayWrite ? 3 : 2)) await storages.from.storePets(catalogueOf([5]));
        return page;
      };
      const late = await run("acme:from", "acme:to", acme(storages), mayWrite);
      expect(late).to.deep.include({ exitCode: 3 });
      expect(late.counts).to.include({ verified: 2, meanwhile: 1 });
      expect(late.messages).to.have.length(1);
      expect(await run("acme:from", "acme:to", acme(storages))).to.include({ exitCode: 0 });
    }
  });

  it("fails with 2, and creates nothing, if a storage cannot take part", async () => {
    await writeCatalogue(from(), catalogueOf([1]));
    await writeCatalogue(`sqlite:${folder()}/empty.db`, []);
    const before = databases();
    const created = ["sqlite:DIR/from.db", "sqlite:DIR/to.db"] as const;
    for (const [source, target, side, word, mayWrite = true] of [
      ["memory:", created[1], "FROM", "memory:"],
      [created[0], "memory:", "TO", "memory:"],
      ["bogus:x", created[1], "FROM", "memory:"],
      [created[0], "sqlite:", "TO", "path"],
      ["sqlite:DIR/gone.db", created[1], "FROM", "gone.db"],
      ["sqlite:DIR/empty.db", created[1], "FROM", "empty"],
      [created[0], "sqlite:/dev/null/to.db", "TO", "/dev/null/to.db"],
      ["acme:no-archive", created[1], "FROM", "archive"],
      [created[0], "acme:no-archive", "TO", "archive"],
      [created[0], created[1], "TO", "to.db", false],
    ] as const) {
      const urls = [source, target].map((url) => url.replace("DIR", folder()));
      const failure = await run(urls[0] ?? "", urls[1] ?? "", acme({}), mayWrite);
      expect(failure, `${urls}`).to.include({ exitCode: 2 });
      expect(failure.message).to.match(new RegExp(`^${side}.*${word}[^\n]*$`));
      expect(databases()).to.deep.equal(before);
    }
  });

  // test/application has every difference.
  it("fails with 1 if TO has another pet, names it without a value, and changes nothing", async () => {
    const changed = catalogueOf([1, 2, 3]).map(({ pet, record }): ArchivedPet => {
      return { pet: pet.id === 2n ? { ...pet, name: "Secret" } : pet, record };
    });
    await writeCatalogue(from(), catalogueOf([1, 2, 3, 4]));
    await writeCatalogue(to(), changed);
    const { message, exitCode = 1 } = await run(from(), to());
    expect(exitCode).to.equal(1);
    expect(message).to.include("pet 2 differs in its name").and.not.include("Secret");
    const found = await run(from(), to(), undefined, false);
    expect(found).to.deep.include({ exitCode: 1 });
    expect(found.counts).to.include({ copied: 0, present: 2, verified: 2 });
    expect(found.messages[0]).to.include("pet 2").and.not.include("Secret");
    expect(await readCatalogue(to())).to.deep.equal(changed);
  });

  it("fails with 1, and one sentence that names the side without its password, if a storage fails", async () => {
    const host = "acme://user:s3cret@host";
    for (const [side, method, error, seen] of [
      [
        "from",
        "highestId",
        storageUnavailable(new Error(`no answer of ${host}/`)),
        /^FROM: .*unavailable.*:\*\*\*@/,
      ],
      [
        "from",
        "highestId",
        new Error(`a full disk of ${host}/`),
        /^FROM: a full disk of acme:\/\/user:\*\*\*@host/,
      ],
      ["from", "ping", storageUnavailable(new Error("no answer")), /^FROM: .*unavailable.*no answer/],
      ["to", "storePets", new PetConflict(2n), /^TO: .*pet 2/],
    ] as const) {
      const storages = { from: await memory(1), to: await memory() };
      Object.assign(storages[side], { [method]: () => Promise.reject(error) });
      const { message, exitCode } = await run(`${host}/from`, `${host}/to`, acme(storages));
      expect(exitCode).to.equal(1);
      expect(message)
        .to.match(seen)
        .and.not.match(/s3cret|\n/);
      expect(await storages.to.countPets()).to.equal(0);
    }
  });

  it("may create TO, unless it only compares, and never FROM", async () => {
    const pets = await memory(1);
    const opened: string[] = [];
    for (const mayWrite of [true, false]) {
      const result = await run("acme:from", "acme:to", acme({ from: pets, to: pets }, opened), mayWrite);
      expect(result).to.include({ exitCode: 0 });
    }
    expect(opened).to.deep.equal(["acme:from false", "acme:to true", "acme:from false", "acme:to false"]);
  });

  describe("of a slow storage", () => {
    const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

    /**
     * Settings with acme:NAME of so many pets, of which a thousand are read in so many milliseconds, and only a thousand as
     * long as the file "hold" exists.
     */
    function slow(count: number, milliseconds: number, change = ""): Record<string, string> {
      const source = outsideStorage(`
        durable: true,
        async open() {
          const pets = new Pets();
          for (let n = 0; n < ${count}; n++) await pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
          const { readPets } = pets;
          pets.readPets = async (range) => {
            await sleep(${milliseconds});
            for (; range.after > 0n && existsSync("hold"); await sleep(20)) writeFileSync("held", "");
            return readPets.call(pets, range);
          };
          ${change}
          return storageOf(pets);
        },`);
      const imports = `
        import { existsSync, rmSync, writeFileSync } from "node:fs";
        import { setTimeout as sleep } from "node:timers/promises";`;
      return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", imports + source) };
    }

    it("shows a bar on a terminal, and removes it at the end", async function () {
      if (!hasTool("script", "the progress bar")) this.skip();
      // script(1) gives the command a terminal, and prints the command's output there.
      const command = `"${process.execPath}" "${PROGRAM}" copy acme:x ${to()}`;
      const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
        cwd: folder(),
        encoding: "utf8",
        env: { ...process.env, ...slow(2500, 120), TERM: "xterm" },
      });
      expect(status, stdout).to.equal(0);
      expect(stdout).to.match(/copying [=-]{16} \d+% +\d+\/2500 pets +\d+ pets\/s, \d+ s left/);
      expect(stdout).to.match(/verifying [=-]{16} \d+%/);
      // The sequence clears the line.
      expect(stdout.split("\x1b[2K").at(-1)).to.match(/^copied 2500, present 0, verified 2500 in/);
    });

    for (const [signal, exitCode, what] of [
      ["SIGINT", 130, "even if a storage gives no answer"],
      ["SIGTERM", 143, "and closes its storages if they answer"],
      ["SIGKILL", null, "whatever it does"],
    ] as const) {
      it(`ends at once at ${signal}, ${what}; the same command finishes it`, async () => {
        const [hold, closed] = [join(folder(), "hold"), join(folder(), "closed")];
        writeFileSync(hold, "");
        const answers = signal === "SIGTERM" ? 'process.once("SIGTERM", () => rmSync("hold"));' : "";
        const env = slow(3000, 0, `pets.close = async () => writeFileSync("closed", ""); ${answers}`);
        const running = new Program({ cwd: folder(), args: ["copy", "acme:x", to()], env });
        await until(() => existsSync(join(folder(), "held")));
        await until(async () => (await readCatalogue(to())).length === 1000);
        const { code, stdout, stderr } = await running.stop(signal);
        expect({ code, stdout }).to.deep.equal({ code: exitCode, stdout: "" });
        expect(stderr).to.match(exitCode ? /^petstore: interrupted.*\n$/ : /^$/);
        expect(existsSync(closed)).to.equal(signal === "SIGTERM");
        const present = (await readCatalogue(to())).length;
        const from = new MemoryPetRepository();
        for (let n = 0; n < 3000; n++) await from.create(REX);
        const rest = await run("acme:from", to(), acme({ from }));
        const counts = { copied: 3000 - present, present, verified: 3000, meanwhile: 0 };
        expect(rest).to.deep.equal({ exitCode: 0, messages: [], counts });
      });
    }
  });
});
