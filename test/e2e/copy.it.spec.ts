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
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { Program, runProgram } from "../support/start-program.js";

async function storage(ids: readonly number[], failing: Record<string, Error> = {}): Promise<Storage> {
  const archive = await fill(new MemoryPetRepository(), catalogueOf(ids));
  const opened = { pets: archive, archive, ping: async () => {}, close: async () => {} };
  for (const [name, error] of Object.entries(failing)) {
    Object.assign(name in opened ? opened : archive, { [name]: () => Promise.reject(error) });
  }
  return opened;
}

/** Copies in this process, also from and to acme:NAME. Resolves to the result, or to the failure. */
async function run(
  from: string,
  to: string,
  acme: Readonly<Record<string, Storage>>,
  { mayWrite = true, opened = [] as string[] } = {},
) {
  const adapter: StorageAdapter = {
    api: STORAGE_API,
    schemes: ["acme"],
    form: "acme:NAME",
    shared: true,
    durable: true,
    check: () => undefined,
    async open(url, { mayMake }) {
      opened.push(`${url} ${mayMake}`);
      return acme[url.replace(/.*[:/]/, "")] as Storage;
    },
  };
  const { list } = await Storages.load({});
  const storages = new Storages([...list, { adapter, from: "test", module: null }], []);
  return copy(storages, from, to, mayWrite, () => {}).catch((error) => error);
}

describe("petstore copy", () => {
  const folder = inEmptyFolder();
  const [from, to] = [() => `sqlite:${folder()}/from.db`, () => `sqlite:${folder()}/to.db`];
  const runCommand = (args: string, env = {}) =>
    runProgram({ cwd: folder(), args: ["copy", ...args.split(" ")], env });

  /** Returns settings with acme:NAME, which holds `count` pets. The code `change` may change `pets` before their use. */
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

  it("prints a line, or JSON for scripts, and exits with the code of its result", async () => {
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

  it("refuses a storage that cannot take part or fails, names the side in one sentence, and creates nothing", async () => {
    await writeCatalogue(from(), catalogueOf([1]));
    // SQLite removes its -wal and -shm at any close.
    const databases = () => readdirSync(folder()).filter((name) => name.endsWith(".db"));
    const host = "acme://user:s3cret@host";
    const unavailable = storageUnavailable(new Error(`no answer of ${host}`));
    const { archive, ...alone } = await storage([1]);
    const acme = {
      alone,
      empty: await storage([]),
      used: await storage([1]),
      away: await storage([1], { ping: unavailable }),
      leaving: await storage([1], { highestId: unavailable }),
      full: await storage([], { storePets: new PetConflict(2n) }),
    };
    for (const [source, target, exitCode, message, mayWrite = true] of [
      ["memory:", to(), 2, "^FROM: memory: "],
      [from(), "memory:", 2, "^TO: memory: "],
      ["bogus:x", to(), 2, "^FROM: .*memory:"],
      [from(), "sqlite:/dev/null/to.db", 2, "^TO: .*/dev/null/to.db"],
      ["acme:alone", to(), 2, "^FROM: .*archive"],
      ["acme:used", "acme:alone", 2, "^TO: .*archive"],
      ["acme:empty", to(), 2, "^FROM is empty"],
      [from(), to(), 2, "^TO: .*to.db", false],
      [`${host}/away`, to(), undefined, "^FROM: .*unavailable.*:[*]{3}@host"],
      ["acme:used", `${host}/leaving`, undefined, "^TO: .*unavailable"],
      ["acme:used", "acme:full", undefined, "^TO: .*pet 2"],
    ] as const) {
      const failure = await run(source, target, acme, { mayWrite });
      expect(failure.exitCode, message).to.equal(exitCode);
      expect(failure.message)
        .to.match(new RegExp(message))
        .and.not.match(/s3cret|\n/);
      expect(databases()).to.deep.equal(["from.db"]);
    }
  });

  it("may create TO, unless it only compares, and never FROM", async () => {
    const acme = { from: await storage([1]), to: await storage([1]) };
    const opened: string[] = [];
    for (const mayWrite of [true, false]) await run("acme:from", "acme:to", acme, { mayWrite, opened });
    expect(opened).to.deep.equal(["acme:from false", "acme:to true", "acme:from false", "acme:to false"]);
  });

  it("ends at SIGINT, closes its storages, and keeps the copied pets", async () => {
    writeFileSync(join(folder(), "hold"), "");
    const hanging = `
      pets.readPets = async (range) => {
        for (; range.after > 0n && existsSync("hold"); await sleep(20)) writeFileSync("held", "");
        return readPets.call(pets, range);
      };
      pets.close = async () => writeFileSync("closed", "");
      process.once("SIGINT", () => rmSync("hold"));`;
    const env = outside(1001, hanging);
    const running = new Program({ cwd: folder(), args: ["copy", "acme:x", to()], env });
    await until(() => existsSync(join(folder(), "held")));
    const { code, stdout, stderr } = await running.stop("SIGINT");
    expect({ code, stdout }).to.deep.equal({ code: 130, stdout: "" });
    expect(stderr).to.match(/^petstore: interrupted.*\n$/);
    expect(existsSync(join(folder(), "closed"))).to.equal(true);
    // The same command resumes from here.
    expect((await readCatalogue(to())).length).to.be.least(1000);
  });
});
