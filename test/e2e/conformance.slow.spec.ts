import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { type Ended, Program } from "../support/start-program.js";

describe("petstore conformance", () => {
  const folder = inEmptyFolder();
  const start = (args: readonly string[], env = {}) =>
    new Program({ cwd: folder(), args: ["conformance", ...args], env });
  const run = (args: readonly string[], env = {}): Promise<Ended> => start(args, env).ended;

  /** Settings with acme:NAME, which is `memory:` with these changes. */
  function acme(changes: string, open = "return storageOf(pets);"): Record<string, string> {
    const source = outsideStorage(`
      shared: false,
      async open(url) {
        const pets = new Pets();
        ${changes}
        ${open}
      },`);
    return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
  }

  it("finds that SQLite keeps every rule, in other processes as well, and lists the storages that it created", async () => {
    const { code, stdout, stderr } = await run([`sqlite:${folder()}/try-{n}.db`, "--json"]);
    expect(code, stdout).to.equal(0);
    const { held, broken, notAsked, storages, cases } = JSON.parse(stdout);
    expect(broken).to.equal(0);
    expect(held).to.be.greaterThan(20);
    expect(cases).to.have.length(held + notAsked);
    const outcomes = cases.map(({ name, outcome }: Record<string, string>) => `${name}: ${outcome}`);
    expect(outcomes).to.include.members([
      "keeps everything over a death: held",
      "lets the process end: held",
    ]);
    const reasons = cases.filter(({ seen }: Record<string, string>) => seen);
    expect(reasons).to.have.length(notAsked);
    const files = readdirSync(folder()).filter((name) => name.endsWith(".db"));
    expect(storages).to.have.members(files.map((name) => `sqlite:${join(folder(), name)}`));
    expect(stderr).to.include(`: ${storages.join(" ")}\n`);
    expect(stderr).to.match(/^checking [=-]{16} +\d+% +\d+\/\d+ rules/m);
  });

  it("finds a broken rule, and prints it with what was seen", async () => {
    const env = acme(`
      const list = pets.list;
      pets.list = async (range) => (await list.call(pets, range)).reverse();`);
    const { code, stdout } = await run(["acme:x"], env);
    expect(code).to.equal(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).to.match(/^\d+ held, \d+ broken, \d+ not asked: ./);
    expect(lines).to.have.length(Number(/(\d+) broken/.exec(stdout)?.[1]) + 1);
    expect(lines.find((line) => line.startsWith("lists by id: "))).to.match(/ Seen: .*list\(\{/);
  });

  it("reports an error outside of any operation, and runs no other case", async () => {
    const ping = 'pets.ping = async () => void Promise.reject(new Error("unheard"));';
    const { code, stdout } = await run(["acme:x"], acme(ping));
    expect(code).to.equal(1);
    expect(stdout)
      .to.match(/^resolves ping: .* Seen: an error outside of any operation.*unheard/m)
      .and.match(/^\d{2} held, 1 broken, \d+ not asked: .*not run, after an error outside/m);
  });

  it("finds a storage that keeps the process from ending, and ends itself", async () => {
    const { stdout } = await run(["acme:x"], acme("setInterval(() => {}, 1000);"));
    expect(stdout)
      .to.match(/^lets the process end: /m)
      .and.include(", 1 broken, ");
  });

  describe("--with", () => {
    const withModule = (source: string) => ["--with", writeModule(folder(), "with.mjs", source)];
    /** A storage that hangs while there is a file named down. */
    const hanging = () => {
      const source = outsideStorage(`shared: false, async open() {
        const pets = new Pets();
        const hang = () => existsSync("down") ? new Promise(() => {}) : undefined;
        for (const name of ["create", "get", "list", "ping"]) {
          const call = pets[name];
          pets[name] = async (...args) => { await hang(); return call.apply(pets, args); };
        }
        return { ...storageOf(pets), archive: undefined };
      },`);
      const path = writeModule(folder(), "acme.mjs", `import { existsSync } from "node:fs"; ${source}`);
      return { PETSTORE_STORAGE_ADAPTERS: path };
    };
    const pause = `import { existsSync, rmSync, writeFileSync } from "node:fs";
      export const pause = {
        async down() { writeFileSync("down", ""); },
        async up() { rmSync("down"); writeFileSync("up", ""); },
      };`;

    it("asks the cases that need its functions, and drops each storage once", async () => {
      const module = `import { appendFileSync, rmSync } from "node:fs";
        import { DatabaseSync } from ${JSON.stringify(import.meta.resolve("@photostructure/sqlite"))};
        const path = (url) => url.slice("sqlite:".length);
        export async function deletePet(url, id) {
          const database = new DatabaseSync(path(url));
          database.prepare("DELETE FROM pets WHERE id = ?").run(id);
          database.close();
        }
        export async function drop(url) {
          appendFileSync("dropped", url + "\\n");
          for (const end of ["", "-wal", "-shm"]) rmSync(path(url) + end, { force: true });
        }`;
      const { code, stdout, stderr } = await run([
        `sqlite:${folder()}/try-{n}.db`,
        ...withModule(module),
        "--json",
      ]);
      expect(code, stderr).to.equal(0);
      const { cases, storages } = JSON.parse(stdout);
      const found = cases.find(({ name }: { name: string }) => name === "gives no id of a pet that is gone");
      expect(found).to.include({ outcome: "held" });
      const dropped = readFileSync(join(folder(), "dropped"), "utf8").trimEnd().split("\n");
      expect(new Set(dropped)).to.have.property("size", dropped.length).above(20);
      expect(storages).to.deep.equal([]);
      expect(readdirSync(folder()).filter((name) => name.startsWith("try-"))).to.deep.equal([]);
    });

    it("counts time-outs: the machine may be busy", async () => {
      const { code, stdout, stderr } = await run(["acme:x", ...withModule(pause)], hanging());
      expect(code, stdout).to.equal(1);
      expect(stdout).to.match(/ did not settle within /);
      expect(stderr).to.match(/\d of \d are time-outs/);
    });

    it("brings the storage back before a signal ends it", async () => {
      const program = start(["acme:x", ...withModule(pause)], hanging());
      await until(() => existsSync(join(folder(), "down")));
      expect(await program.stop("SIGINT")).to.include({ code: 130 });
      expect(existsSync(join(folder(), "up"))).to.equal(true);
    });

    for (const [what, source, message] of [
      ["cannot be loaded", "not JavaScript", /with\.mjs failed to load: /],
      ["exports nothing of use", "export const outages = 1;", /exports none of outage/],
      ["has an outage without up", "export const outage = { down() {} };", /exports outage, which is not/],
    ] as const) {
      it(`refuses a module that ${what}`, async () => {
        const { code, stdout, stderr } = await run(["memory:", ...withModule(source)]);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
        expect(stderr).to.match(message);
      });
    }

    it("fails if a function of the module does, and blames the function", async () => {
      const module = "export const outage = { down() { throw new Error('no docker'); }, async up() {} };";
      const { code, stdout, stderr } = await run(["acme:x", ...withModule(module)], hanging());
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(/outage\.down\(\) failed: Error: no docker/);
    });
  });

  it("does not ask about an archive that a storage lacks, and keeps what it prints out of the result", async () => {
    const env = acme('console.log("acme opens");', "return { ...storageOf(pets), archive: undefined };");
    const { code, stdout, stderr } = await run(["acme:x", "--json"], env);
    const { broken, cases } = JSON.parse(stdout);
    expect({ code, broken }).to.deep.equal({ code: 0, broken: 0 });
    const archive = cases.find(({ seen = "" }) => seen.includes("archive"));
    expect(archive).to.include({ outcome: "not asked" });
    expect(stderr).to.match(/^acme opens$/m);
  });

  describe("refuses with exit code 2", () => {
    for (const [what, url, message] of [
      ["a URL without {n}", "sqlite:x.db", /\{n\}.*: sqlite:x\.db\n$/],
      ["a storage that cannot be opened", "sqlite:/dev/null/{n}.db", /^petstore: No storage can be opened: /],
    ] as const) {
      it(what, async () => {
        const { code, stdout, stderr } = await run([url]);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
        expect(stderr).to.match(message);
      });
    }

    it("a storage that is not empty, leaves it untouched, and does not list it", async () => {
      // This URL names one file, whatever {n} becomes.
      const url = `sqlite:${folder()}/{n}/../pets.db`;
      const first = await run([url]);
      expect(first.code).to.equal(2);
      expect(first.stderr).to.match(/sqlite:.*\/pets\.db is not empty/);
      const before = readFileSync(join(folder(), "pets.db"));
      const second = await run([url]);
      expect({ code: second.code, stdout: second.stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(second.stderr).not.to.include("for inspection");
      expect(readFileSync(join(folder(), "pets.db")).equals(before)).to.equal(true);
    });
  });

  it("ends at SIGTERM, even while a storage never answers, and lists what it leaves", async () => {
    const hang = 'pets.get = () => { writeFileSync("hangs", ""); return new Promise(() => {}); };';
    const source = outsideStorage(
      `async open() { const pets = new Pets(); ${hang} return storageOf(pets); },`,
    );
    const module = writeModule(folder(), "acme.mjs", `import { writeFileSync } from "node:fs"; ${source}`);
    const program = start(["acme:{n}"], { PETSTORE_STORAGE_ADAPTERS: module });
    await until(() => existsSync(join(folder(), "hangs")));
    const { code, stdout, stderr } = await program.stop("SIGTERM");
    expect({ code, stdout }).to.deep.equal({ code: 143, stdout: "" });
    expect(stderr).to.match(/^Created and kept for inspection: acme:.*\npetstore: interrupted\n$/m);
  });

  it("masks the password of a URL in each message", async () => {
    const { stderr } = await run(["mongodb://user:secret@127.0.0.1:1/petstore_test"]);
    expect(stderr).to.include("mongodb://user:***@127.0.0.1:1/petstore_test");
    const env = acme('pets.ping = async () => { throw new Error("no answer", { cause: new Error(url) }); };');
    const broken = await run(["acme://user:secret@host/{n}", "--json"], env);
    const { cases } = JSON.parse(broken.stdout);
    const found = cases.find(({ outcome }: { outcome: string }) => outcome === "broken");
    expect(found).to.have.all.keys("name", "rule", "outcome", "seen");
    expect(found.seen).to.include("user:***@host");
    expect(stderr + broken.stdout + broken.stderr).not.to.include("secret");
  });
});
