import { exec, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { type Program, startProgram } from "../support/start-program.js";
import { hasTool } from "../support/tool.js";

/**
 * The commands under a heading of docs/operations.md, for the test's folders. A shell function stands for systemctl.
 */
function commandsOf(heading: string, data: string, backups: string): string {
  const text = readFileSync("docs/operations.md", "utf8");
  const [, commands] = new RegExp(`^## ${heading}\\n.*?^\`\`\`bash\\n(.*?)^\`\`\``, "ms").exec(text) ?? [];
  if (!commands) throw new Error(`docs/operations.md has no commands under ${heading}`);
  const here = commands.replaceAll("/var/lib/petstore", data).replaceAll("/var/backups/petstore", backups);
  return `set -e\nsystemctl() { :; }\n${here}`;
}

describe("SQLite, backed up as docs/operations.md says", () => {
  const data = inEmptyFolder();
  const backups = inEmptyFolder();

  before(function () {
    if (!hasTool("sqlite3", "the backup")) this.skip();
  });
  function start(): Promise<Program> {
    const env = {
      PETSTORE_STORAGE: "sqlite:petstore.db",
      PETSTORE_KEYS_FILE: "keys.json",
      PETSTORE_WORKERS: "2",
    };
    return startProgram({ cwd: data(), env });
  }

  async function create(program: Program, name: string): Promise<number> {
    const { status, text } = await post(program, JSON.stringify({ name, categoryId: 1 }));
    expect(status).to.equal(201);
    return JSON.parse(text).id;
  }

  function run(commands: string): string {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", commands], { encoding: "utf8" });
    expect(stderr).to.equal("");
    expect(status).to.equal(0);
    return stdout;
  }

  it("has every pet, even while clients create others, and can be restored", async () => {
    let program = await start();
    const before = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(program, `before ${index}`)),
    );
    let creating = true;
    const creates = (async () => {
      while (creating) await create(program, "meanwhile");
    })();
    // Not synchronously, since the creates go on in this process.
    const backup = await promisify(exec)(commandsOf("Back up SQLite while it runs", data(), backups()), {
      shell: "bash",
    });
    creating = false;
    await creates;
    expect(backup.stdout).to.equal("ok\n");
    const after = await create(program, "after");

    await program.stop();
    run(commandsOf("Restore", data(), backups()));
    program = await start();
    const pets = (await allPets(program)).map((pet) => JSON.parse(pet));
    expect(pets.map(({ id }) => id)).to.include.members(before);
    expect(pets.map(({ id }) => id)).not.to.include(after);
    expect(pets.every(({ name }) => name !== "after")).to.equal(true);
    expect(await create(program, "again")).to.be.greaterThan(Math.max(...before));
  });
});
