import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { copy } from "../../src/adapters/cli/copy.js";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { type ArchivedPet, PetConflict } from "../../src/application/ports/pet-archive.js";
import { STORAGE_API, type Storage, type StorageAdapter } from "../../src/application/storage-adapter.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { Storages } from "../../src/storages.js";
import { catalogueOf, fill, readCatalogue, writeCatalogue } from "../support/catalogues.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { hasTool } from "../support/left-out.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { PROGRAM, Program, runProgram } from "../support/start-program.js";

/** An adapter of acme:NAME, which opens these pets. */
function acme(pets: MemoryPetRepository, changes: Partial<Storage> = {}): StorageAdapter {
  const storage = { pets, archive: pets, async ping() {}, async close() {}, ...changes };
  const open = async () => storage;
  const check = () => undefined;
  return { api: STORAGE_API, schemes: ["acme"], form: "acme:NAME", shared: true, durable: true, check, open };
}

/** Runs the command in this process. Resolves to the report, or to the failure. */
async function run(from: string, to: string, adapter?: StorageAdapter, verify?: true) {
  const { list } = await Storages.load();
  const outside = adapter ? [{ adapter, from: "test", module: null }] : [];
  const storages = new Storages([...list, ...outside], []);
  return copy(storages, [from, to], verify ? { verify } : {}, () => {}).catch((error) => error);
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
    const gone = await runCommand("sqlite:gone.db", to());
    expect(gone).to.deep.include({ code: 2, stdout: "" });
    expect(gone.stderr).to.match(/^petstore: FROM: .*gone\.db.*\n$/);
  });

  it("changes nothing if TO has everything, TO is FROM, or it only verifies", async () => {
    await writeCatalogue(from(), catalogueOf([1, 2]));
    await writeCatalogue(to(), catalogueOf([1, 2]));
    const counts = { copied: 0, present: 2, verified: 2, meanwhile: 0 };
    for (const found of [
      await run(from(), to()),
      await run(from(), from()),
      await run(from(), to(), undefined, true),
    ]) {
      expect(found).to.deep.equal({ exitCode: 0, faults: [], counts });
    }
  });

  it("exits with 3 if a pet appears in FROM behind the comparison, with 0 once TO has all, whatever FROM counts", async () => {
    for (const verify of [undefined, true] as const) {
      const pets = await fill(new MemoryPetRepository(), catalogueOf([11, 12]));
      const { readPets } = pets;
      await writeCatalogue(to(), catalogueOf([11, 12]));
      let reads = 0;
      pets.countPets = async () => reads;
      pets.readPets = async (range) => {
        const page = await readPets.call(pets, range);
        // The second walk of a copy, and the first after the check for an empty FROM of a comparison.
        if (++reads === (verify ? 2 : 3)) await pets.storePets(catalogueOf([5]));
        return page;
      };
      const late = await run("acme:x", to(), acme(pets), verify);
      expect(late).to.deep.include({ exitCode: 3 });
      expect(late.counts).to.include({ verified: 2, meanwhile: 1 });
      pets.readPets = readPets;
      expect(await run("acme:x", to(), acme(pets))).to.include({ exitCode: 0 });
      rmSync(join(folder(), "to.db"));
    }
  });

  describe("fails with 2, and creates nothing, if a storage cannot take part:", () => {
    const REFUSED: readonly (readonly [
      what: string,
      from: string,
      to: string,
      side: string,
      word: string,
    ])[] = [
      ["FROM is not durable", "memory:", "sqlite:DIR/to.db", "FROM", "memory:"],
      ["TO is not durable", "sqlite:DIR/from.db", "memory:", "TO", "memory:"],
      ["FROM has an unknown scheme", "bogus:x", "sqlite:DIR/to.db", "FROM", "memory:"],
      ["the URL of TO has a fault", "sqlite:DIR/from.db", "sqlite:", "TO", "path"],
      ["FROM does not exist", "sqlite:DIR/gone.db", "sqlite:DIR/to.db", "FROM", "gone.db"],
      ["FROM is empty", "sqlite:DIR/empty.db", "sqlite:DIR/to.db", "FROM", "empty"],
      ["TO cannot be created", "sqlite:DIR/from.db", "sqlite:/dev/null/to.db", "TO", "/dev/null/to.db"],
      ["FROM has no archive", "acme:x", "sqlite:DIR/to.db", "FROM", "archive"],
      ["TO has no archive", "sqlite:DIR/from.db", "acme:x", "TO", "archive"],
    ];
    for (const [what, fromUrl, toUrl, side, word] of REFUSED) {
      it(what, async () => {
        await writeCatalogue(from(), catalogueOf([1]));
        await writeCatalogue(`sqlite:${folder()}/empty.db`, []);
        const before = databases();
        const [one, other] = [fromUrl, toUrl].map((url) => url.replace("DIR", folder()));
        const pets = new MemoryPetRepository();
        const { archive, ...storage } = { pets, archive: pets, async ping() {}, async close() {} };
        const failure = await run(String(one), String(other), { ...acme(pets), open: async () => storage });
        expect(failure).to.include({ exitCode: 2 });
        expect(failure.message).to.match(new RegExp(`^${side}.*${word}[^\n]*$`));
        expect(databases()).to.deep.equal(before);
      });
    }

    it("TO does not exist, and nothing may be written", async () => {
      await writeCatalogue(from(), catalogueOf([1]));
      expect(await run(from(), to(), undefined, true)).to.include({ exitCode: 2 });
      expect(databases()).to.deep.equal(["from.db"]);
    });
  });

  // test/application has every difference.
  it("fails with 1 if TO has another pet, names it without a value, and changes nothing", async () => {
    const changed = catalogueOf([1, 2, 3]).map(({ pet, record }): ArchivedPet => {
      return { pet: pet.id === 2n ? { ...pet, name: "Secret" } : pet, record };
    });
    await writeCatalogue(from(), catalogueOf([1, 2, 3, 4]));
    await writeCatalogue(to(), changed);
    const refused = await run(from(), to());
    expect(refused).to.include({ exitCode: 1 });
    expect(refused.message).to.include("pet 2 differs in its name");
    const { exitCode, faults, counts } = await run(from(), to(), undefined, true);
    expect({ exitCode, ...counts }).to.include({ exitCode: 1, copied: 0, present: 2, verified: 2 });
    expect(faults).to.have.length(3);
    expect(faults[1]).to.include("pet 4");
    expect(faults[2]).to.include("ids");
    expect(`${refused.message} ${faults}`).not.to.include("Secret");
    expect(await readCatalogue(to())).to.deep.equal(changed);
  });

  for (const [error, word] of [
    [storageUnavailable(new Error("no answer of acme://user:s3cret@host/x")), "unavailable"],
    [new Error("a full disk of acme://user:s3cret@host/x"), "full disk"],
  ] as const) {
    it(`fails with one sentence that names the side, without its password, at ${word}`, async () => {
      const pets = await fill(new MemoryPetRepository(), catalogueOf([1]));
      pets.highestId = () => Promise.reject(error);
      const { message, exitCode } = await run("acme://user:s3cret@host/x", to(), acme(pets));
      expect(exitCode).to.equal(1);
      expect(message)
        .to.match(/^FROM: [^\n]*$/)
        .and.include(word);
      expect(message).to.include("acme://user:***@host/x").and.not.include("s3cret");
    });
  }

  it("fails with 1 if another program writes to TO, and if TO loses what it has confirmed", async () => {
    await writeCatalogue(from(), catalogueOf([1, 2, 3]));
    const conflicting = new MemoryPetRepository();
    conflicting.storePets = () => Promise.reject(new PetConflict(2n));
    const conflict = await run(from(), "acme:x", acme(conflicting));
    expect(conflict).to.include({ exitCode: 1 });
    expect(conflict.message).to.match(/^TO: .*pet 2/);
    const losing = new MemoryPetRepository();
    const { storePets } = losing;
    losing.storePets = (batch) => storePets.call(losing, batch.slice(1));
    const lost = await run(from(), "acme:x", acme(losing));
    expect(lost).to.include({ exitCode: 1 });
    expect(lost.faults).to.have.length(1);
    expect(lost.faults[0]).to.include("pet 1");
  });

  it("may create TO, unless it only verifies, and never FROM", async () => {
    const pets = await fill(new MemoryPetRepository(), catalogueOf([1]));
    for (const [verify, opened] of [
      [undefined, ["acme:from false", "acme:to true"]],
      [true, ["acme:from false", "acme:to false"]],
    ] as const) {
      const calls: string[] = [];
      const adapter = acme(pets);
      const open: StorageAdapter["open"] = (url, context) => {
        calls.push(`${url} ${context.mayMake}`);
        return adapter.open(url, context);
      };
      expect(await run("acme:from", "acme:to", { ...adapter, open }, verify)).to.include({ exitCode: 0 });
      expect(calls).to.deep.equal(opened);
    }
  });

  describe("of a slow storage", () => {
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
        env: { ...process.env, ...slow(4000, 150), TERM: "xterm" },
      });
      expect(status, stdout).to.equal(0);
      expect(stdout).to.match(/copying [=-]{16} \d+% +\d+\/4000 pets +\d+ pets\/s, \d+ s left/);
      expect(stdout).to.match(/verifying [=-]{16} \d+%/);
      // The sequence clears the line.
      expect(stdout.split("\x1b[2K").at(-1)).to.match(/^copied 4000, present 0, verified 4000 in/);
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
        const told = exitCode ? /^petstore: interrupted.*\n$/ : /^$/;
        expect(stderr).to.match(told);
        expect(existsSync(closed)).to.equal(signal === "SIGTERM");
        rmSync(hold, { force: true });
        const there = (await readCatalogue(to())).length;
        const rest = await runProgram({ cwd: folder(), args: ["copy", "acme:x", to()], env });
        expect(rest.stdout).to.match(
          new RegExp(`^copied ${3000 - there}, present ${there}, verified 3000 in`),
        );
      });
    }
  });
});
