import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { FileKeyStore } from "../../../src/adapters/keys/file-key-store.js";
import { get } from "../../support/client.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { needTools } from "../../support/left-out.js";
import { OddDisk } from "../../support/odd-disk.js";
import { runScript } from "../../support/run-script.js";
import { startProgram } from "../../support/start-program.js";

const CREATE = `
  import { createFirstKey } from "SRC/adapters/keys/file-key-store.js";
  const secrets = Array.from({ length: Number(process.env.STARTS ?? 1) }, () => createFirstKey("keys.json"));
  console.log(JSON.stringify(await Promise.all(secrets)));`;
const ADD = `
  import { FileKeyStore } from "SRC/adapters/keys/file-key-store.js";
  console.log(JSON.stringify(await new FileKeyStore("keys.json").add("app", null)));`;

describe("The keys file, on a disk unlike most", () => {
  needTools("disks unlike most", "cc");
  const folder = inEmptyFolder();
  const keysFiles = () => readdirSync(folder()).filter((name) => name.startsWith("keys"));
  const namesIn = async (path: string) => (await new FileKeyStore(path).list()).map(({ name }) => name);

  for (const [which, ...faults] of [["with hard links"], ["without hard links", "noLinks"]] as const) {
    it(`is created once by many at the same time ${which}`, async () => {
      const { env } = new OddDisk(folder(), ...faults);
      const { stdout } = await runScript(CREATE, folder(), { ...env, STARTS: "20" });
      expect(JSON.parse(stdout).filter(Boolean)).to.have.length(1);
      expect(await namesIn(join(folder(), "keys.json"))).to.deep.equal(["default"]);
      expect(keysFiles()).to.deep.equal(["keys.json"]);
    });

    it(`is whole or absent after a kill at any moment ${which}`, async () => {
      const path = join(folder(), "keys.json");
      const { env } = new OddDisk(folder(), ...faults);
      let kills = 0;
      for (let call = 1; ; call++) {
        const { ended } = await runScript(CREATE, folder(), { ...env, KILL_AT: String(call) });
        if (existsSync(path)) expect(await namesIn(path)).to.deep.equal(["default"]);
        if (ended !== "SIGKILL") break;
        kills++;
        // The next start.
        if (faults.length === 0) expect((await runScript(CREATE, folder(), env)).ended).to.equal(0);
        for (const file of keysFiles()) rmSync(join(folder(), file));
      }
      expect(kills).to.be.greaterThan(3);
    });
  }

  it("lets the program start without hard links and without a sync of folders, and shows every key that it stores", async () => {
    const { env } = new OddDisk(folder(), "noLinks", "noFolderSync");
    const program = await startProgram({ cwd: folder(), env: { ...env, PETSTORE_KEYS_FILE: "keys.json" } });
    expect((await get(program, "/v1/pets", { key: program.firstKey })).status).to.equal(200);
    expect((await runScript(ADD, folder(), env)).stdout).to.match(/petstore_/);
    expect(await namesIn(join(folder(), "keys.json"))).to.deep.equal(["default", "app"]);
  });

  it("is on the disk before it gets its name, and its name before a change is reported", async () => {
    const calls = join(folder(), "calls");
    const env = { ...new OddDisk(folder()).env, CALLS: calls };
    await runScript(CREATE, folder(), env);
    await runScript(ADD, folder(), env);
    const [create, change] = readFileSync(calls, "utf8").split(/create \S*keys\.json\.lockfile\n/);
    const written = String.raw`sync \S+keys\.json\.\w+\n`;
    expect(create).to.match(new RegExp(`${written}link keys.json\nsync folder`));
    expect(change).to.match(new RegExp(`${written}rename \\S+keys.json\nsync folder`));
  });
});
