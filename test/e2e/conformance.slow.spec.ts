import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { type Ended, Program } from "../support/start-program.js";

// test/storage-kit tests the cases themselves.
describe("petstore conformance", () => {
  const folder = inEmptyFolder();
  const start = (args: readonly string[], env = {}) =>
    new Program({ cwd: folder(), args: ["conformance", ...args], env });
  const run = (args: readonly string[], env = {}): Promise<Ended> => start(args, env).ended;
  const withModule = (source: string) => ["--with", writeModule(folder(), "with.mjs", source)];
  const isThere = (file: string) => existsSync(join(folder(), file));

  /** Returns settings with acme:NAME, which is `memory:` with these changes to its `pets`. */
  function acme(changes: string, adapter = "shared: false,"): Record<string, string> {
    const open = `${adapter} async open(url) {
      const pets = new Pets();
      ${changes}
      return { ...storageOf(pets), archive: undefined };
    },`;
    const source = `import { existsSync, writeFileSync } from "node:fs"; ${outsideStorage(open)}`;
    return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
  }

  /** The storage hangs while a file "down" exists. */
  const PAUSE = `import { rmSync, writeFileSync } from "node:fs";
    export const pause = {
      async down() { writeFileSync("down", ""); },
      async up() { rmSync("down"); writeFileSync("up", ""); },
    };`;

  it("finds that SQLite keeps every rule, in other processes too, and drops each storage once", async () => {
    const module = `import { appendFileSync, rmSync } from "node:fs";
      import { DatabaseSync } from ${JSON.stringify(import.meta.resolve("@photostructure/sqlite"))};
      const path = (url) => url.slice("sqlite:".length);
      export function deletePet(url, id) {
        const database = new DatabaseSync(path(url));
        database.prepare("DELETE FROM pets WHERE id = ?").run(id);
        database.close();
      }
      export function drop(url) {
        appendFileSync("dropped", url + "\\n");
        for (const end of ["", "-wal", "-shm"]) rmSync(path(url) + end, { force: true });
      }`;
    const { code, stdout, stderr } = await run([`sqlite:./try-{n}.db`, ...withModule(module), "--json"]);
    expect(code, stdout + stderr).to.equal(0);
    const { broken, notAsked, storages, cases } = JSON.parse(stdout);
    expect({ broken, storages }).to.deep.equal({ broken: 0, storages: [] });
    const held = cases.filter(({ outcome }: { outcome: string }) => outcome === "held");
    expect(held.map(({ name }: { name: string }) => name))
      .to.have.lengthOf(cases.length - notAsked)
      .and.include.members(["keeps everything over a death", "lets the process end"])
      .and.include("gives no id of a pet that is gone");
    const dropped = readFileSync(join(folder(), "dropped"), "utf8").trimEnd().split("\n");
    expect(new Set(dropped)).to.have.property("size", dropped.length).above(20);
    expect(readdirSync(folder()).filter((name) => name.startsWith("try-"))).to.deep.equal([]);
    expect(stderr).to.match(/^checking [=-]{16} +\d+% +\d+\/\d+ rules/m);
  });

  it("prints each broken rule with the masked failure, then counts, and no output of a storage", async () => {
    const env = acme(`
      console.log("acme opens");
      pets.ping = async () => { throw new Error("no answer", { cause: new Error(url) }); };`);
    const { code, stdout, stderr } = await run(["acme://user:secret@host/{n}"], env);
    expect(code).to.equal(1);
    expect(stdout)
      .to.match(/^resolves ping: .* Seen: ping\(\) rejected .*\/\/user:\*\*\*@host\/t/m)
      .and.match(/\n\d+ held, [2-4] broken, \d+ not asked: .*`archive: true`.*\n$/);
    expect(stderr).to.match(/^acme opens$/m);
    expect(stdout + stderr).not.to.include("secret");
  });

  it("reports an error outside of any call, brings the storage back, and runs no other case", async () => {
    const env = acme(`
      const { get } = pets;
      pets.get = async (id) => {
        if (!existsSync("down")) return get.call(pets, id);
        Promise.reject(new Error("unheard"));
        return new Promise(() => {});
      };`);
    const { code, stdout } = await run(["acme:x", ...withModule(PAUSE)], env);
    expect(code, stdout).to.equal(1);
    expect(stdout)
      .to.match(/^pause: rejects in time: .* Seen: an error outside of any call: Error: unheard, at /m)
      .and.match(/^\d+ held, 1 broken, \d+ not asked: .*not run after an error outside of any call$/m);
    expect(isThere("up")).to.equal(true);
  });

  it("detects a storage that keeps the process from ending, and ends itself", async () => {
    const { stdout } = await run(["acme:x"], acme("setInterval(() => {}, 1000);"));
    expect(stdout)
      .to.match(/^lets the process end: /m)
      .and.include(", 1 broken, ");
  });

  it("ends at SIGTERM, even while a storage never responds, and lists the storages that it leaves", async () => {
    const hang = 'pets.get = () => { writeFileSync("hangs", ""); return new Promise(() => {}); };';
    const program = start(["acme:{n}"], acme(hang, "shared: true,"));
    await until(() => isThere("hangs"));
    const { code, stdout, stderr } = await program.stop("SIGTERM");
    expect({ code, stdout }).to.deep.equal({ code: 143, stdout: "" });
    expect(stderr).to.match(/^Created and kept for inspection: acme:.*\npetstore: interrupted\n$/m);
  });

  const FAILING = "export const pause = { down() { throw new Error('no docker'); }, up() {} };";
  for (const [what, url, module, message] of [
    ["a URL without {n}", "sqlite:x.db", undefined, /\{n\}.*: sqlite:x\.db\n$/],
    [
      "a storage that cannot be opened",
      "sqlite:/dev/null/{n}.db",
      undefined,
      /^petstore: No storage can be o/,
    ],
    ["a module that cannot be loaded", "acme:x", "not JavaScript", /with\.mjs failed to load: /],
    ["a module without its functions", "acme:x", "export const outages = 1;", /exports none of outage/],
    ["a module that fails", "acme:x", FAILING, /pause\.down\(\) failed: Error: no docker/],
  ] as const) {
    it(`refuses ${what} with exit code 2`, async () => {
      const { code, stdout, stderr } = await run([url, ...(module ? withModule(module) : [])], acme(""));
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(message);
    });
  }

  it("refuses a storage that is not empty, leaves it untouched, and does not list it", async () => {
    // This URL names one file, whatever {n} becomes.
    const url = `sqlite:${folder()}/{n}/../pets.db`;
    await run([url]);
    const before = readFileSync(join(folder(), "pets.db"));
    const { code, stdout, stderr } = await run([url]);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
    expect(stderr)
      .to.match(/sqlite:.*\/pets\.db is not empty/)
      .and.not.include("for inspection");
    expect(readFileSync(join(folder(), "pets.db")).equals(before)).to.equal(true);
  });
});
