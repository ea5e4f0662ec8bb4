import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";

const MOCHA = createRequire(import.meta.url).resolve("mocha/bin/mocha.js");
const CONTRACT = JSON.stringify(import.meta.resolve("../../src/storage-kit/storage-contract.js"));

const RUNNERS = {
  "mocha --reporter json": { args: [MOCHA, "--timeout", "60000", "--reporter", "json"], imports: "" },
  "node --test": {
    args: ["--test", "--test-reporter", "tap"],
    imports: 'import { describe, it } from "node:test";',
  },
};

describe("A broken rule", () => {
  const folder = inEmptyFolder();

  for (const [runner, { args, imports }] of Object.entries(RUNNERS)) {
    /** Runs the contract over a storage whose pets have these changes. */
    async function run(changes: string) {
      const open = `shared: false, open: async () => { const pets = new Pets(); ${changes} return storageOf(pets); },`;
      writeModule(folder(), "acme.mjs", outsideStorage(open));
      const test = `import { describeContract, storageOf } from ${CONTRACT};
        import adapter from "./acme.mjs"; ${imports}
        describeContract(storageOf(adapter, { newUrl: () => "acme:x", archive: true }), { describe, it });`;
      const path = writeModule(folder(), "acme.test.mjs", test);
      // The runner of this test must not run the inner one as its own child.
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const options = { cwd: folder(), env, maxBuffer: 2 ** 26 };
      return promisify(execFile)(process.execPath, [...args, path], options).catch((error) => error);
    }

    it(`fails in ${runner}, which shows the rule`, async () => {
      const { code, stdout } = await run(
        "pets.storePets = async () => {}; pets.get = async () => undefined;",
      );
      expect(code).to.be.greaterThan(0);
      expect(stdout)
        .to.include("a bigint as its id")
        .and.include("Seen: get(1n): expected {")
        .and.include("resolved; expected a PetConflict with id 10");
    });

    it(`by an error outside of any operation fails in ${runner}, and what follows is skipped`, async () => {
      const late = 'setTimeout(() => { throw new Error("idle connection lost"); })';
      const { code, stdout } = await run(`pets.ping = async () => void ${late};`);
      expect(code).to.equal(1);
      expect(stdout).to.match(
        /ping resolves if .*Seen: an error outside of any operation.*idle connection lost/,
      );
      const failed = /"failures": (\d+)/.exec(stdout) ?? /^# fail (\d+)$/m.exec(stdout);
      expect(failed?.[1], stdout).to.equal("1");
    });
  }
});
