import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { get } from "../../support/client.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { runScript } from "../../support/run-script.js";
import { compileLibrary } from "../../support/slow-disk.js";
import { startProgram } from "../../support/start-program.js";

const CREATE = `
  import { createFirstKey } from "SRC/adapters/keys/file-key-store.js";
  const secrets = Array.from({ length: Number(process.env.STARTS ?? 1) }, () => createFirstKey("keys.json"));
  console.log(JSON.stringify(await Promise.all(secrets)));`;
const ADD = `
  import { FileKeyStore } from "SRC/adapters/keys/file-key-store.js";
  console.log(JSON.stringify(await new FileKeyStore("keys.json").add("app", null)));`;

const LINKS: Record<string, Record<string, string>> = {
  "with hard links": {},
  "without hard links": { NO_LINKS: "1" },
};

describe("The keys file, on a disk unlike most", () => {
  needTools("disks unlike most", "cc");
  const folder = inEmptyFolder();
  const namesIn = async (path: string) => (await new FileKeyStore(path).list()).map(({ name }) => name);

  for (const [which, links] of Object.entries(LINKS)) {
    it(`is created once by many at the same time ${which}`, async () => {
      const env = { LD_PRELOAD: compileLibrary(folder(), "odd-disk"), STARTS: "20", ...links };
      const { stdout } = await runScript(CREATE, folder(), env);
      expect(JSON.parse(stdout).filter(Boolean)).to.have.length(1);
      expect(await namesIn(join(folder(), "keys.json"))).to.deep.equal(["default"]);
      expect(readdirSync(folder()).sort()).to.deep.equal(["keys.json", "odd-disk.so"]);
    });

    it(`is whole or absent after a kill at any moment ${which}`, async () => {
      const path = join(folder(), "keys.json");
      const env = { LD_PRELOAD: compileLibrary(folder(), "odd-disk"), ...links };
      let kills = 0;
      for (let call = 1; ; call++) {
        const { ended } = await runScript(CREATE, folder(), { ...env, KILL_AT: String(call) });
        if (existsSync(path)) expect(await namesIn(path)).to.deep.equal(["default"]);
        if (ended !== "SIGKILL") break;
        kills++;
        // The next start.
        if (!links.NO_LINKS) expect((await runScript(CREATE, folder(), env)).ended).to.equal(0);
        for (const file of readdirSync(folder())) if (/^keys/.test(file)) rmSync(join(folder(), file));
      }
      expect(kills).to.be.greaterThan(3);
    });
  }

  for (const code of ["EINVAL", "ENOTSUP", "EIO"] as const) {
    it(`shows every key that it stores if a folder cannot be synced: ${code}`, async () => {
      const FOLDER_SYNC = String(constants.errno[code]);
      const env = { LD_PRELOAD: compileLibrary(folder(), "odd-disk"), NO_LINKS: "1", FOLDER_SYNC };
      expect((await runScript(CREATE, folder(), env)).stdout).to.match(/petstore_/);
      expect((await runScript(ADD, folder(), env)).stdout).to.match(/petstore_/);
      expect(await namesIn(join(folder(), "keys.json"))).to.deep.equal(["default", "app"]);
    });
  }

  it("lets the program start there, and accepts the key that it printed", async () => {
    const FOLDER_SYNC = String(constants.errno.EINVAL);
    const LD_PRELOAD = compileLibrary(folder(), "odd-disk");
    const env = { LD_PRELOAD, NO_LINKS: "1", FOLDER_SYNC, PETSTORE_STORAGE: "memory:" };
    const program = await startProgram({ cwd: folder(), env });
    expect((await get(program, "/v1/pets", { key: program.firstKey })).status).to.equal(200);
  });

  it("is on the disk before it gets its name, and its name before a change is reported", async () => {
    const calls = join(folder(), "calls");
    const env = { LD_PRELOAD: compileLibrary(folder(), "odd-disk"), CALLS: calls };
    await runScript(CREATE, folder(), env);
    await runScript(ADD, folder(), env);
    const [create, change] = readFileSync(calls, "utf8").split(/create \S*keys\.json\.lockfile\n/);
    const written = String.raw`sync \S+keys\.json\.\w+\n`;
    expect(create).to.match(new RegExp(`${written}link keys.json\nsync folder`));
    expect(change).to.match(new RegExp(`${written}rename \\S+keys.json\nsync folder`));
  });
});
