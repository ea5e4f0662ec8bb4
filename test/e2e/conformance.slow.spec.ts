import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { type Ended, Program } from "../support/start-program.js";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell replaces these in the operator's
// commands
describe("petstore conformance", () => {
  const folder = inEmptyFolder();

  const run = (args: string[], env = {}): Promise<Ended> =>
    new Program({ cwd: folder(), args: ["conformance", ...args], env }).ended;

  /** Runs the command on a storage from outside: the repository of `memory:` with these changes. */
  function runBroken(changes: string, url = "acme:x", ...args: string[]): Promise<Ended> {
    const source = outsideStorage(`
      shared: false,
      async open(url) {
        const pets = new Pets();
        ${changes}
        return storageOf(pets);
      },`);
    const module = writeModule(folder(), "acme.mjs", source);
    return run([url, ...args], { PETSTORE_STORAGE_ADAPTERS: module });
  }

  it("finds that SQLite keeps every rule, and removes each storage by the operator's command, or lists it", async () => {
    const remove = `node -e 'new (require("@photostructure/sqlite").DatabaseSync)(process.argv[1].slice(7)).exec("DELETE FROM pets WHERE id = " + process.argv[2])'`;
    const { stdout, stderr } = await run([
      `sqlite:${folder()}/try-{n}.db`,
      "--json",
      "--delete",
      `cd ${process.cwd()} && ${remove} "$1" "$2"`,
      "--cleanup",
      'case "$1" in *_4.db) exit 1;; esac; rm "${1#sqlite:}"*',
    ]);
    const { held, broken, storages, cases } = JSON.parse(stdout);
    expect(broken).to.equal(0);
    expect(held).to.be.greaterThan(20);
    const outcomes = Object.fromEntries(
      cases.map(({ name, outcome }: Record<string, string>) => [name, outcome]),
    );
    const inOtherProcesses = { "keeps everything over a death": "held", "lets the process end": "held" };
    expect(outcomes).to.include(inOtherProcesses);
    expect(stderr).not.to.include("gives no id of a pet that is gone");
    const [left = "", ...more] = readdirSync(folder());
    expect(left).to.match(/_4\.db$/);
    for (const name of more) expect(name).to.match(/_4\.db/);
    expect(storages).to.deep.equal([`sqlite:${join(folder(), left)}`]);
    expect(stderr).to.match(new RegExp(`^  sqlite:.*${left}$`, "m"));
    expect(stderr).to.include("petstore: The command failed with exit code 1: case");
  });

  it("prints JSON for scripts", async () => {
    const { code, stdout } = await runBroken("pets.get = async () => undefined;", "acme:x", "--json");
    const { held, broken, notAsked, cases, storages } = JSON.parse(stdout);
    expect(code).to.equal(1);
    expect(broken).to.be.greaterThan(1);
    expect(cases).to.have.length(held + broken + notAsked);
    expect(storages).to.deep.equal([]);
    const found = cases.find(({ name }: { name: string }) => name === "shows a pet at once");
    expect(found).to.deep.equal({
      name: "shows a pet at once",
      rule: "A pet that create answered is shown by every later get and list, from that moment on.",
      outcome: "broken",
      seen: found.seen,
    });
    expect(found.seen).to.match(/^get\(1n\), of a pet just created, is undefined, expected \{/);
  });

  it("prints a line for each broken rule, with the rule and the behaviour that broke it", async () => {
    const { code, stdout } = await runBroken(`
      const list = pets.list;
      pets.list = async (range) => (await list.call(pets, range)).reverse();`);
    expect(code).to.equal(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).to.match(/^\d+ held, \d+ broken$/);
    expect(lines).to.have.length(Number(/(\d+) broken/.exec(stdout)?.[1]) + 1);
    expect(lines.find((line) => line.startsWith("lists by id: "))).to.match(
      /^lists by id: list answers the first .* Seen: list\(\{.*limit: 2 \}\) is a list whose number 1 is \{.*, expected \{/,
    );
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
    ["rejects with 7", "pets.ping = async () => { throw 7; };", "ping() rejected with 7, which is no Error"],
    [
      "takes its own mistake for an outage",
      `pets.ping = async () => { try { row(); } catch (error) {
        throw Object.assign(new Error("away", { cause: error }), { code: "storage_unavailable", [Symbol.for("petstore.PetstoreError")]: true });
      } };`,
      "ping() rejected with storage_unavailable, caused by ReferenceError: row is not defined, at pets.ping (file:///",
    ],
  ] as const) {
    it(`reports a storage that ${what}, and asks the next case`, async () => {
      const { code, stdout } = await runBroken(changes);
      expect(code).to.equal(1);
      expect(stdout).to.include(`resolves ping: ping resolves if the storage can be used now. Seen: ${seen}`);
      expect(Number(/(\d+) held/.exec(stdout)?.[1])).to.be.greaterThan(15);
    });
  }

  it("ends with a message and exit code 1 if the storage ends the process", async () => {
    const { code, stdout, stderr } = await runBroken("pets.ping = () => process.exit(0);");
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
    expect(stderr).to.match(/^petstore: the storage ended the process while the case "resolves ping" ran/m);
  });

  it("finds a storage that keeps the process from ending, and ends itself", async () => {
    const { stdout } = await runBroken("setInterval(() => {}, 1000);");
    const told = /^lets the process end: close ends every use of the storage.* is false, expected true$/m;
    expect(stdout).to.match(told);
    expect(stdout).to.include(", 1 broken\n");
  });

  it("counts a --delete that fails against its case alone, and asks the others", async () => {
    const { code, stdout } = await runBroken("", "acme:x", "--delete", "exit 3");
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^gives no id of a pet that is gone: .* Seen: The command failed with exit code 3: exit 3$/m,
    );
    expect(stdout).to.include(", 1 broken\n");
  });

  it("says after 10 s that a storage does not open", async () => {
    const source = outsideStorage("shared: false, open: () => new Promise(() => {}),");
    const env = { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", source) };
    const { code, stderr } = await run(["acme:x"], env);
    expect(code).to.equal(2);
    expect(stderr).to.match(/No storage can be asked for its rules: open\(\) did not settle within 10 s\n$/);
  });

  describe("with an outage", () => {
    /** Runs the command, with an outage, on a storage that is away as long as a file exists, and heals by itself. */
    function runAway(changes = ""): Promise<Ended> {
      const source = `
        import { existsSync } from "node:fs";
        import { storageUnavailable } from ${JSON.stringify(import.meta.resolve("../../src/domain/errors.js"))};
        ${outsideStorage(`
          shared: false,
          async open(url) {
            const pets = new Pets();
            for (const name of ["create", "get", "list", "ping", "readPets", "storePets", "highestId"]) {
              const work = pets[name];
              pets[name] = async (...args) => {
                if (existsSync("away")) throw storageUnavailable(new Error("away"));
                return work.apply(pets, args);
              };
            }
            ${changes}
            return storageOf(pets);
          },`)}`;
      const module = writeModule(folder(), "away.mjs", source);
      const [down, up] = ["touch away; echo >> downs", "rm -f away; echo >> ups"];
      const outages = ["--down", down, "--up", up, "--pause", down, "--resume", up];
      return run(["acme:x", ...outages], { PETSTORE_STORAGE_ADAPTERS: module });
    }

    /** Asserts that the storage is there, and was brought back as often as it was taken away. */
    function expectBack(): void {
      expect(readdirSync(folder())).to.have.members(["away.mjs", "downs", "ups"]);
      expect(readFileSync(join(folder(), "ups"))).to.deep.equal(readFileSync(join(folder(), "downs")));
    }

    it("finds that a storage keeps every rule of an outage", async () => {
      const { code, stdout, stderr } = await runAway();
      expect(stdout).to.match(/^\d{2} held, 0 broken\n$/);
      const told = /^Not asked, since its pets do not outlive the process: .*; outage: opens; pause: opens$/m;
      expect(stderr).to.match(told);
      expect(code).to.equal(0);
      expectBack();
    });

    it("finds an error of an idle connection that ends the process, and brings the storage back", async () => {
      const { stdout } = await runAway(`
        setInterval(() => { if (existsSync("away")) throw new Error("terminating connection"); }, 50).unref();`);
      expect(stdout).to.match(
        /^outage: rejects in time: .* which would end the service: Error: terminating connection, at .*away\.mjs:\d+:\d+\)$/m,
      );
      expectBack();
    });

    it("brings the storage back if the storage ends the process", async () => {
      const { code } = await runAway('pets.ping = async () => { if (existsSync("away")) process.exit(0); };');
      expect(code).to.equal(1);
      expectBack();
    });

    it("ends with the message of the operator's command if that command fails", async () => {
      const { code, stdout, stderr } = await run(["memory:", "--down", "exit 7", "--up", "true"]);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr).to.include("petstore: The command failed with exit code 7: exit 7\n");
    });
  });

  describe("refuses", () => {
    const USAGE: readonly (readonly [what: string, args: string[], stderr: RegExp])[] = [
      ["no URL", [], /missing required argument 'url'/],
      ["a URL without {n}", ["sqlite:x.db"], /the URL must have \{n\} in it.*: sqlite:x\.db/],
      ["a scheme that no storage has", ["bogus:{n}"], /The URL of a storage must be memory:,/],
      ["--down alone", ["memory:", "--down", "true"], /--down and --up go together/],
      ["--resume alone", ["memory:", "--resume", "true"], /--pause and --resume go together/],
      ["an unknown option", ["memory:", "--speed"], /unknown option '--speed'/],
      ["a storage that fails", ["sqlite:/dev/null/{n}.db"], /No storage can be asked for its rules: /],
    ];
    for (const [what, args, expected] of USAGE) {
      it(what, async () => {
        const { code, stdout, stderr } = await run(args);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
        expect(stderr).to.match(expected);
      });
    }

    it("a storage that is not empty, leaves it untouched, and neither lists it nor cleans it up", async () => {
      // This URL names one file, whatever {n} becomes.
      const url = `sqlite:${folder()}/{n}/../pets.db`;
      const first = await run([url]);
      expect(first.code).to.equal(2);
      const told = /petstore: The storage sqlite:.*\/pets\.db is not empty, and was left untouched; /;
      expect(first.stderr).to.match(told);
      const before = readFileSync(join(folder(), "pets.db"));
      const second = await run([url, "--cleanup", 'rm -f "${1#sqlite:}"']);
      expect({ code: second.code, stdout: second.stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(second.stderr).not.to.include("left for you");
      expect(readFileSync(join(folder(), "pets.db")).equals(before)).to.equal(true);
    });
  });

  it("ends at once at a signal, brings the storage back, and lists what it leaves", async () => {
    // Each outage takes at least a second.
    const down = "touch away; (sleep 0.3; kill -TERM $PPID) &";
    const url = `sqlite:${folder()}/try-{n}.db`;
    const { code, stdout, stderr } = await run([url, "--down", down, "--up", "rm away"]);
    expect({ code, stdout }).to.deep.equal({ code: 143, stdout: "" });
    expect(stderr).to.match(/petstore: interrupted after \d+ rules\n$/);
    expect(stderr).to.match(/^ {2}sqlite:.*\.db$/m);
    expect(readdirSync(folder())).not.to.include("away");
  });

  it("masks the password of a URL in each message", async () => {
    const { stderr } = await run(["mongodb://user:secret@127.0.0.1:1/petstore_test"]);
    expect(stderr).to.include("mongodb://user:***@127.0.0.1:1/petstore_test");
    expect(stderr).not.to.include("secret");
    const broken = await runBroken(
      'pets.ping = async () => { throw new Error("no user:secret@host", { cause: new Error(url) }); };',
      "acme://user:secret@host/{n}",
      "--json",
    );
    expect(broken.stdout).to.include("no user:***@host").and.include("acme://user:***@host/");
    expect(broken.stdout + broken.stderr).not.to.include("secret");
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: end of the commands
