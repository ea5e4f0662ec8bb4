import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { ArchivedPet } from "../../src/application/ports/pet-archive.js";
import { catalogueOf, readCatalogue, writeCatalogue } from "../support/catalogues.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { hasTool } from "../support/left-out.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { PROGRAM, Program, runProgram } from "../support/start-program.js";

const [FROM, TO] = ["sqlite:from.db", "sqlite:to.db"] as const;

describe("petstore copy", () => {
  const folder = inEmptyFolder();
  const urlOf = (url: string) => url.replace(":", `:${folder()}/`);
  const write = (url: string, pets: readonly ArchivedPet[]) => writeCatalogue(urlOf(url), pets);
  const read = (url: string) => readCatalogue(urlOf(url));
  const copy = (...args: string[]) => runProgram({ cwd: folder(), args: ["copy", ...args] });
  const copyFrom = (env: Record<string, string>, ...args: string[]) =>
    runProgram({ cwd: folder(), args: ["copy", "acme:x", ...args], env });

  /** Settings with acme:NAME, a durable storage of so many pets, whose `pets` this code changes. */
  function acme(count: number, change: string): Record<string, string> {
    const source = outsideStorage(`
      durable: true,
      async open(url, { mayMake }) {
        const pets = new Pets();
        for (let n = 0; n < ${count}; n++) await pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
        const { readPets, storePets } = pets;
        ${change}
        return storageOf(pets);
      },`);
    const imports = `
      import { existsSync, rmSync, writeFileSync } from "node:fs";
      import { setTimeout as sleep } from "node:timers/promises";
      import * as kit from ${JSON.stringify(import.meta.resolve("../../src/storage-kit/index.js"))};`;
    return { PETSTORE_STORAGE_ADAPTERS: writeModule(folder(), "acme.mjs", imports + source) };
  }

  it("copies, adds what came since, and verifies; prints a line, or JSON for scripts", async () => {
    await write(FROM, catalogueOf([1, 2, 5, 2n ** 53n - 1n]));
    for (const [args, counts] of [
      [[FROM, TO], "copied 4, present 0, verified 4"],
      [[FROM, TO], "copied 0, present 4, verified 4"],
      [["--verify", FROM, TO], "copied 0, present 4, verified 4"],
      [[FROM, FROM], "copied 0, present 4, verified 4"],
    ] as const) {
      const { code, stdout, stderr } = await copy(...args);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.match(new RegExp(`^${counts} in \\d+\\.\\d s\n$`));
    }
    await write(FROM, catalogueOf([3, 4]));
    const { seconds, ...counts } = JSON.parse((await copy("--json", FROM, TO)).stdout);
    expect(counts).to.deep.equal({ copied: 2, present: 4, verified: 6, meanwhile: 0 });
    expect(seconds).to.be.a("number");
    expect(await read(TO)).to.deep.equal(await read(FROM));
  });

  it("ends with 3 while pets come to FROM, even behind the comparison, and with 0 once TO has all", async () => {
    const env = acme(
      10,
      `
      let reads = 0;
      pets.readPets = async (range) => {
        const found = await readPets.call(pets, range);
        if (process.env.BUSY && ++reads === 3) await pets.create({ name: "late", categoryId: 7n, status: "sold" });
        return found;
      };`,
    );
    const busy = await copyFrom({ ...env, BUSY: "1" }, TO, "--json");
    expect(busy.code, busy.stderr).to.equal(3);
    expect(busy.stderr).to.match(
      /^petstore: 1 or more pets were created in FROM meanwhile, .*: run it again\.$/m,
    );
    expect(JSON.parse(busy.stdout)).to.include({ copied: 10, verified: 10, meanwhile: 1 });
    expect((await copyFrom(env, TO)).code).to.equal(0);
  });

  describe("exits with 2, one sentence and nothing made, if a storage cannot take part:", () => {
    const REFUSED: readonly (readonly [what: string, args: readonly string[], message: RegExp])[] = [
      ["FROM is not durable", ["memory:", TO], /^FROM: memory: keeps its pets/],
      ["TO is not durable", [FROM, "memory:"], /^TO: memory: keeps its pets/],
      ["FROM has an unknown scheme", ["bogus:x", TO], /^FROM: .*must be memory:/],
      ["the URL of TO has a fault", [FROM, "sqlite:"], /^TO: .*must have/],
      ["FROM is not there", ["sqlite:gone.db", TO], /^FROM: .*gone\.db is not there/],
      ["FROM is empty", ["sqlite:empty.db", TO], /^FROM has no pet, and never gave an id/],
      ["TO is not there and nothing may be written", [FROM, TO, "--verify"], /^TO: .*to\.db is not there/],
      ["TO cannot be made", [FROM, "sqlite:/dev/null/to.db"], /^TO: .*cannot be used/],
    ];
    for (const [what, args, message] of REFUSED) {
      it(what, async () => {
        await write(FROM, catalogueOf([1]));
        await write("sqlite:empty.db", []);
        // SQLite removes its -wal and -shm at any close.
        const files = () => readdirSync(folder()).filter((name) => name.endsWith(".db"));
        const before = files();
        const { code, stdout, stderr } = await copy(...args);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
        expect(stderr).to.match(/^petstore: .*\n$/);
        expect(stderr.slice("petstore: ".length)).to.match(message);
        expect(files()).to.deep.equal(before);
      });
    }

    it("FROM has no archive", async () => {
      const { code, stderr } = await copyFrom(
        acme(1, "return { ...storageOf(pets), archive: undefined };"),
        TO,
      );
      expect(code).to.equal(2);
      expect(stderr).to.match(/^petstore: FROM: acme:NAME has no archive, .*\n$/);
      expect(existsSync(join(folder(), "to.db"))).to.equal(false);
    });
  });

  // test/application has every difference.
  it("exits with 1 if TO has another pet, names it without a value, and changes nothing", async () => {
    const changed = catalogueOf([1, 2, 3]).map(({ pet, record }) => {
      return { pet: pet.id === 2n ? { ...pet, name: "Secret" } : pet, record };
    });
    await write(FROM, catalogueOf([1, 2, 3, 4]));
    await write(TO, changed);
    const refused = await copy(FROM, TO);
    expect(refused).to.deep.include({ code: 1, stdout: "" });
    expect(refused.stderr).to.match(
      /^petstore: TO must hold nothing but pets of FROM; pet 2 differs in its name\. Nothing was changed\.\n$/,
    );
    const verified = await copy("--verify", FROM, TO);
    expect(verified.code).to.equal(1);
    expect(verified.stdout).to.match(/^copied 0, present 2, verified 2 in/);
    const faults = [
      "pet 2 differs in its name",
      "TO lacks pets of FROM: 1, the first is pet 4",
      "TO may give ids again",
    ];
    for (const fault of faults) expect(verified.stderr).to.include(`petstore: ${fault}`);
    expect(refused.stderr + verified.stderr).not.to.include("Secret");
    expect(await read(TO)).to.deep.equal(changed);
  });

  for (const [error, message] of [
    [
      "kit.storageUnavailable(new Error('no ' + url))",
      /^FROM: is away; run the same command again.*\(no acme:.*\)/,
    ],
    ["new Error('a full disk of ' + url)", /^FROM: a full disk of acme:/],
  ] as const) {
    it(`ends with one sentence that says which side it was, without its password, at ${error}`, async () => {
      const env = acme(5, `pets.highestId = async () => { throw ${error}; };`);
      const args = ["copy", "acme://user:s3cret@host/x", TO];
      const { code, stdout, stderr } = await runProgram({ cwd: folder(), args, env });
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr).to.match(/^petstore: .*acme:\/\/user:\*\*\*@host\/x.*\n$/);
      expect(stderr.slice("petstore: ".length)).to.match(message);
    });
  }

  it("exits with 1 if another program writes to TO meanwhile, and if TO loses what it has confirmed", async () => {
    await write(FROM, catalogueOf([1, 2, 3]));
    const run = (change: string) =>
      runProgram({ cwd: folder(), args: ["copy", FROM, "acme:x"], env: acme(0, change) });
    const other = await run("pets.storePets = async () => { throw new kit.PetConflict(2n); };");
    expect(other.code).to.equal(1);
    expect(other.stderr).to.match(/^petstore: TO: .* other content under the id of pet 2/);
    const lost = await run("pets.storePets = (all) => storePets.call(pets, all.slice(1));");
    expect(lost.code).to.equal(1);
    expect(lost.stderr).to.equal("petstore: TO lacks pets of FROM: 1, the first is pet 1\n");
  });

  it("opens neither side to write if it only verifies, and FROM never", async () => {
    const env = acme(1, `writeFileSync(url.slice(5), String(mayMake));`);
    for (const [args, from, to] of [
      [["acme:from", "acme:to"], "false", "true"],
      [["--verify", "acme:from", "acme:to"], "false", "false"],
    ] as const) {
      expect((await runProgram({ cwd: folder(), args: ["copy", ...args], env })).code).to.equal(0);
      expect([from, to]).to.deep.equal(
        ["from", "to"].map((name) => readFileSync(join(folder(), name), "utf8")),
      );
    }
  });

  describe("of a slow storage", () => {
    /** So many pets, of which a thousand are read in so many milliseconds. While there is a file "hold", only the first are. */
    const slow = (count: number, milliseconds: number, change = "") =>
      acme(
        count,
        `pets.readPets = async (range) => {
          await sleep(${milliseconds});
          for (; range.after > 0n && existsSync("hold"); await sleep(20)) writeFileSync("held", "");
          return readPets.call(pets, range);
        };
        ${change}`,
      );

    it("shows a bar on a terminal, and removes it at the end", async function () {
      if (!hasTool("script", "the progress bar")) this.skip();
      // script(1) gives the command a terminal, and prints the command's output there.
      const command = `"${process.execPath}" "${PROGRAM}" copy acme:x ${TO}`;
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
        const running = new Program({ cwd: folder(), args: ["copy", "acme:x", TO], env });
        await until(() => existsSync(join(folder(), "held")));
        await until(async () => (await read(TO)).length === 1000);
        const { code, stdout, stderr } = await running.stop(signal);
        expect({ code, stdout }).to.deep.equal({ code: exitCode, stdout: "" });
        const told = exitCode ? /^petstore: interrupted; run the same command again.*\n$/ : /^$/;
        expect(stderr).to.match(told);
        expect(existsSync(closed)).to.equal(signal === "SIGTERM");
        rmSync(hold, { force: true });
        const there = (await read(TO)).length;
        const rest = await copyFrom(env, TO);
        expect(rest.stdout).to.match(
          new RegExp(`^copied ${3000 - there}, present ${there}, verified 3000 in`),
        );
      });
    }
  });
});
