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

  it("finds that SQLite keeps every rule, in other processes as well, and lists the storages that it made", async () => {
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
    expect(cases.every(({ outcome, seen }: Record<string, string>) => outcome === "held" || seen)).to.equal(
      true,
    );
    const files = readdirSync(folder()).filter((name) => name.endsWith(".db"));
    expect(storages).to.have.members(files.map((name) => `sqlite:${join(folder(), name)}`));
    for (const url of storages) expect(stderr).to.include(`\n  ${url}\n`);
    expect(stderr).to.match(/^checking [=-]{16} +\d+% +\d+\/\d+ rules/m);
  });

  it("finds a broken rule, and prints it with what was seen; JSON for scripts", async () => {
    const env = acme(`
      const list = pets.list;
      pets.list = async (range) => (await list.call(pets, range)).reverse();`);
    const { code, stdout } = await run(["acme:x"], env);
    expect(code).to.equal(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).to.match(/^\d+ held, \d+ broken$/);
    expect(lines).to.have.length(Number(/(\d+) broken/.exec(stdout)?.[1]) + 1);
    expect(lines.find((line) => line.startsWith("lists by id: "))).to.match(/ Seen: .*list\(\{/);
    const json = await run(["acme:x", "--json"], env);
    expect(json.code).to.equal(1);
    const { held, broken, notAsked, cases, storages } = JSON.parse(json.stdout);
    expect(broken).to.equal(lines.length - 1);
    expect(cases).to.have.length(held + broken + notAsked);
    expect(storages).to.deep.equal([]);
    const found = cases.find(({ name }: { name: string }) => name === "lists by id");
    expect(found).to.have.all.keys("name", "rule", "outcome", "seen").and.include({ outcome: "broken" });
  });

  for (const [what, changes, seen] of [
    [
      "throws outside of any operation",
      'pets.ping = async () => void setTimeout(() => { throw new Error("idle connection lost"); });',
      "an error outside of any operation, which would end the service: Error: idle connection lost",
    ],
    [
      "rejects a promise that nobody awaits",
      'pets.ping = async () => void Promise.reject(new Error("unheard"));',
      "an error outside of any operation, which would end the service: Error: unheard",
    ],
  ] as const) {
    it(`reports a storage that ${what}, and asks the next case`, async () => {
      const { code, stdout } = await run(["acme:x"], acme(changes));
      expect(code).to.equal(1);
      expect(stdout)
        .to.match(/^resolves ping: .* Seen: /m)
        .and.include(` Seen: ${seen}`);
      expect(Number(/(\d+) held/.exec(stdout)?.[1])).to.be.greaterThan(10);
    });
  }

  it("finds a storage that keeps the process from ending, and ends itself", async () => {
    const { stdout } = await run(["acme:x"], acme("setInterval(() => {}, 1000);"));
    expect(stdout)
      .to.match(/^lets the process end: /m)
      .and.include(", 1 broken\n");
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
      [
        "a URL without {n}",
        "sqlite:x.db",
        /^petstore: the URL must contain \{n\}, which .*: sqlite:x\.db\n$/,
      ],
      ["a scheme that no storage has", "bogus:{n}", /^petstore: The URL of a storage must be memory:,/],
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
      expect(first.stderr).to.match(
        /petstore: The storage sqlite:.*\/pets\.db is not empty, and was left untouched\.\n$/,
      );
      const before = readFileSync(join(folder(), "pets.db"));
      const second = await run([url]);
      expect({ code: second.code, stdout: second.stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(second.stderr).not.to.include("left for inspection");
      expect(readFileSync(join(folder(), "pets.db")).equals(before)).to.equal(true);
    });
  });

  for (const [signal, exitCode] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    it(`ends at ${signal}, even while a storage gives no answer, leaves no process, and lists what it leaves`, async () => {
      const hang = 'pets.get = () => { writeFileSync("hangs", ""); return new Promise(() => {}); };';
      const source = outsideStorage(
        `async open() { const pets = new Pets(); ${hang} return storageOf(pets); },`,
      );
      const module = writeModule(folder(), "acme.mjs", `import { writeFileSync } from "node:fs"; ${source}`);
      const program = start(["acme:{n}"], { PETSTORE_STORAGE_ADAPTERS: module });
      await until(() => existsSync(join(folder(), "hangs")));
      const { code, stdout, stderr } = await program.stop(signal);
      expect({ code, stdout }).to.deep.equal({ code: exitCode, stdout: "" });
      expect(stderr).to.match(/^These storages were made, .*:\n( {2}acme:.*\n)+petstore: interrupted\n$/m);
    });
  }

  it("masks the password of a URL in each message", async () => {
    const { stderr } = await run(["mongodb://user:secret@127.0.0.1:1/petstore_test"]);
    expect(stderr).to.include("mongodb://user:***@127.0.0.1:1/petstore_test");
    const env = acme('pets.ping = async () => { throw new Error("no answer", { cause: new Error(url) }); };');
    const broken = await run(["acme://user:secret@host/{n}", "--json"], env);
    expect(broken.stdout).to.include("user:***@host");
    expect(stderr + broken.stdout + broken.stderr).not.to.include("secret");
  });
});
