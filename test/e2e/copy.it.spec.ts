import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { PetConflict } from "../../src/application/ports/pet-archive.js";
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

/** Copies in this process. Resolves to what it found, or to the failure. */
async function run(from: string, to: string, adapter = acme({}), mayWrite = true) {
  const { list } = await Storages.load();
  const storages = new Storages([...list, { adapter, from: "test", module: null }], []);
  return copy(storages, from, to, mayWrite, () => {}).catch((error) => error);
}

describe("petstore copy", () => {
  const folder = inEmptyFolder();
  const [from, to] = [() => `sqlite:${folder()}/from.db`, () => `sqlite:${folder()}/to.db`];
  const runCommand = (args: string, env = {}) =>
    runProgram({ cwd: folder(), args: ["copy", ...args.split(" ")], env });

  /** Settings with acme:NAME, of so many pets. `change` may change `pets` before it is used. */
  function outside(count: number, change: string): Record<string, string> {
    const source = `
      import { existsSync, rmSync, writeFileSync } from "node:fs";
      import { setTimeout as sleep } from "node:timers/promises";
      const REX = { name: "Rex", categoryId: 7n, status: "sold" };
      ${outsideStorage(`durable: true, async open() {
        const pets = new Pets();
        for (let n = 0; n < ${count}; n++) await pets.create(REX);
        const { readPets } = pets;
        ${change}
        return storageOf(pets);
      },`)}`;
    return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
  }

  it("prints a line, or JSON for scripts, and exits with what it found", async () => {
    await writeCatalogue(from(), catalogueOf([1, 2, 5]));
    const first = await runCommand(`${from()} ${to()}`);
    expect(first).to.include({ code: 0, stderr: "" });
    expect(first.stdout).to.match(/^copied 3, present 0, verified 3 in \d+\.\d s\n$/);
    await writeCatalogue(from(), catalogueOf([3, 4]));
    const growing = outside(
      3,
      "pets.readPets = async (range) => { await pets.create(REX); return readPets.call(pets, range); };",
    );
    const [different, late, refused] = await Promise.all([
      runCommand(`--verify --json ${from()} ${to()}`),
      runCommand(`acme:x sqlite:late.db`, growing),
      runCommand(`sqlite:gone.db ${to()}`),
    ]);
    expect(different.code).to.equal(1);
    expect(different.stderr).to.match(/^petstore: TO lacks 2 .* first is pet 3\n$/);
    const { seconds, ...counts } = JSON.parse(different.stdout);
    expect(counts).to.deep.equal({ copied: 0, present: 3, verified: 3, meanwhile: 0 });
    expect(seconds).to.be.a("number");
    expect(late.code).to.equal(3);
    expect(late.stderr).to.match(/^petstore: .*run it again.*\n$/);
    expect(refused).to.deep.include({ code: 2, stdout: "" });
    expect(refused.stderr).to.match(/^petstore: FROM: .*gone\.db.*\n$/);
  });

  it("refuses with 2, and creates nothing, if a storage cannot take part", async () => {
    await writeCatalogue(from(), catalogueOf([1]));
    // SQLite removes its -wal and -shm at any close.
    const databases = () => readdirSync(folder()).filter((name) => name.endsWith(".db"));
    const storages = { used: await memory(1), empty: await memory() };
    for (const [source, target, message, mayWrite = true] of [
      ["memory:", to(), "^FROM: memory: "],
      [from(), "memory:", "^TO: memory: "],
      ["bogus:x", to(), "^FROM: .*memory:"],
      [from(), "sqlite:/dev/null/to.db", "^TO: .*/dev/null/to.db"],
      ["acme:no-archive", to(), "^FROM: .*archive"],
      ["acme:used", "acme:no-archive", "^TO: .*archive"],
      ["acme:empty", to(), "^FROM is empty"],
      [from(), to(), "^TO: .*to.db", false],
    ] as const) {
      const failure = await run(source, target, acme(storages), mayWrite);
      expect(failure, message).to.include({ exitCode: 2 });
      expect(failure.message).to.match(new RegExp(message)).and.not.include("\n");
      expect(databases()).to.deep.equal(["from.db"]);
    }
  });

  it("fails with one sentence that names the side, and never a password, if a storage fails", async () => {
    const host = "acme://user:s3cret@host";
    const unavailable = storageUnavailable(new Error(`no answer of ${host}/`));
    for (const [side, method, error, message] of [
      ["from", "ping", unavailable, /^FROM: .*unavailable.*:\*\*\*@/],
      ["from", "highestId", unavailable, /^FROM: .*unavailable/],
      ["from", "countPets", new Error("a full disk"), /^FROM: a full disk$/],
      ["to", "storePets", new PetConflict(2n), /^TO: .*pet 2/],
    ] as const) {
      const storages = { from: await memory(1), to: await memory() };
      Object.assign(storages[side], { [method]: () => Promise.reject(error) });
      const failure = await run(`${host}/from`, `${host}/to`, acme(storages));
      expect(failure).not.to.have.property("exitCode");
      expect(failure.message)
        .to.match(message)
        .and.not.match(/s3cret|\n/);
    }
  });

  it("may create TO, unless it only compares, and never FROM", async () => {
    const pets = await memory(1);
    const opened: string[] = [];
    for (const mayWrite of [true, false]) {
      await run("acme:from", "acme:to", acme({ from: pets, to: pets }, opened), mayWrite);
    }
    expect(opened).to.deep.equal(["acme:from false", "acme:to true", "acme:from false", "acme:to false"]);
  });

  it("shows a bar on a terminal, and removes it at the end", function () {
    if (!hasTool("script", "the progress bar")) this.skip();
    const slow = "pets.readPets = async (range) => { await sleep(120); return readPets.call(pets, range); };";
    // script(1) gives the command a terminal, and prints the command's output there.
    const command = `"${process.execPath}" "${PROGRAM}" copy acme:x ${to()}`;
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: folder(),
      encoding: "utf8",
      env: { ...process.env, ...outside(2500, slow), TERM: "xterm" },
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
  ] as const) {
    it(`ends at ${signal}, ${what}`, async () => {
      writeFileSync(join(folder(), "hold"), "");
      const hanging = `
        pets.readPets = async (range) => {
          for (; range.after > 0n && existsSync("hold"); await sleep(20)) writeFileSync("held", "");
          return readPets.call(pets, range);
        };
        pets.close = async () => writeFileSync("closed", "");
        process.once("SIGTERM", () => rmSync("hold"));`;
      const env = outside(1001, hanging);
      const running = new Program({ cwd: folder(), args: ["copy", "acme:x", to()], env });
      await until(() => existsSync(join(folder(), "held")));
      const { code, stdout, stderr } = await running.stop(signal);
      expect({ code, stdout }).to.deep.equal({ code: exitCode, stdout: "" });
      expect(stderr).to.match(/^petstore: interrupted.*\n$/);
      expect(existsSync(join(folder(), "closed"))).to.equal(signal === "SIGTERM");
      // The same command resumes from here.
      expect((await readCatalogue(to())).length).to.be.least(1000);
    });
  }
});
