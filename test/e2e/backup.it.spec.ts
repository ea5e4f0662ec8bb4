import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { type Program, startProgram } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

/** The commands of docs/operations.md that a comment marks as run by this test. A shell function stands for systemctl. */
function restoreCommands(): string {
  const text = readFileSync("docs/operations.md", "utf8");
  const blocks = text.matchAll(/^<!-- test\/e2e\/backup.*?^```bash\n(.*?)^```/gms);
  return ["set -e", "systemctl() { :; }", ...Array.from(blocks, ([, commands]) => commands)].join("\n");
}

describe("a service, backed up as docs/operations.md says", () => {
  const data = inEmptyFolder();
  const backups = inEmptyFolder();

  needTools("the backup", "sqlite3");
  function start(): Promise<Program> {
    const PETSTORE_STORAGE = "sqlite:petstore.db";
    const env = { PETSTORE_STORAGE, PETSTORE_KEYS_FILE: "keys.json" };
    return startProgram({ cwd: data(), env });
  }

  async function create(program: Program, name: string): Promise<number> {
    const { status, text } = await post(program, JSON.stringify({ name, categoryId: 1 }));
    expect(status).to.equal(201);
    return JSON.parse(text).id;
  }

  /** Runs commands of deploy/ or docs/ in the test's folders. */
  function run(commands: string, PETSTORE_STORAGE = "sqlite:petstore.db"): Promise<{ stdout: string }> {
    const here = commands
      .replaceAll("/var/lib/petstore", data())
      .replaceAll("/var/backups/petstore", backups())
      .replaceAll("/etc/petstore/petstore.env", resolve("deploy/petstore.env"));
    const env = { PATH: process.env.PATH, PETSTORE_STORAGE, PETSTORE_KEYS_FILE: "keys.json" };
    // Not synchronously, since creates go on in this process.
    return promisify(execFile)("bash", ["--norc", "-c", here], { cwd: data(), env });
  }
  const backUp = readFileSync("deploy/petstore-backup", "utf8");

  it("has every pet, even while clients create others, and can be restored", async () => {
    let program = await start();
    const before = await Promise.all(Array.from({ length: 50 }, (_, n) => create(program, `before ${n}`)));
    let creating = true;
    const creates = (async () => {
      while (creating) await create(program, "meanwhile");
    })();
    const backup = await run(backUp);
    creating = false;
    await creates;
    expect(backup.stdout).to.match(/Z has keys, settings and \d\d+ pets\n$/);
    const [folder = ""] = readdirSync(backups());
    expect(readdirSync(join(backups(), folder))).to.deep.equal(["keys.json", "petstore.db", "petstore.env"]);
    const after = await create(program, "after");

    await program.stop();
    rmSync(join(data(), "keys.json"));
    await run(restoreCommands());
    program = await start();
    const pets = (await allPets(program)).map((pet) => JSON.parse(pet));
    expect(pets.map(({ id }) => id)).to.include.members(before);
    expect(pets.map(({ id }) => id)).not.to.include(after);
    expect(pets.every(({ name }) => name !== "after")).to.equal(true);
    expect(await create(program, "again")).to.be.greaterThan(Math.max(...before));
  });

  it("fails and is no backup if it is wrong, so that a restore takes the last good one", async () => {
    const program = await start();
    await create(program, "kept");
    await program.stop();
    await run(backUp);
    const good = readdirSync(backups());
    const size = statSync(join(data(), "petstore.db")).size;
    writeFileSync(join(data(), "empty.db"), "");
    writeFileSync(join(data(), "damaged.db"), readFileSync(join(data(), "petstore.db")).fill(1, size / 2));
    for (const [what, commands, storage, words] of [
      ["a full disk", `trap '' XFSZ; ulimit -f 8; ${backUp}`, "sqlite:petstore.db", /disk|File size|full/],
      ["an empty file", backUp, "sqlite:empty.db", /no such table: pets/],
      ["no file", backUp, "sqlite:missing.db", /unable to open/],
      ["a damaged file", backUp, "sqlite:damaged.db", /malformed/],
    ] as const) {
      const { code, stderr } = await run(commands, storage).catch((error) => error);
      expect(code, what).to.be.greaterThan(0);
      expect(stderr, what).to.match(words);
      const finished = readdirSync(backups()).filter((name) => name !== "unfinished");
      expect(finished, what).to.deep.equal(good);
    }
    await run(restoreCommands());
    expect(await allPets(await start())).to.have.length(1);
  });

  it("has no pets on another storage, and says so; the newest 14 are kept", async () => {
    writeFileSync(join(data(), "keys.json"), "{}");
    for (let day = 10; day < 30; day++) mkdirSync(join(backups(), `2026-01-${day}T000000Z`));
    const { stdout } = await run(backUp, "mongodb://localhost/pets");
    expect(stdout).to.match(/Z has keys and settings, but no pets: back the database up/);
    const names = readdirSync(backups());
    expect([names.length, names[0]]).to.deep.equal([14, "2026-01-17T000000Z"]);
    expect(readdirSync(join(backups(), names[13] ?? ""))).to.deep.equal(["keys.json", "petstore.env"]);
  });
});
