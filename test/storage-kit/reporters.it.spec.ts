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
    it(`fails in ${runner}, which shows the rule; an error outside of any call fails one case alone`, async () => {
      const open = `shared: false, open: async () => {
        const pets = new Pets();
        pets.get = async () => undefined;
        pets.ping = async () => void setTimeout(() => { throw new Error("idle connection lost"); });
        pets.storePets = async () => {};
        return storageOf(pets);
      },`;
      writeModule(folder(), "acme.mjs", outsideStorage(open));
      const test = `import { describeContract, storageOf } from ${CONTRACT};
        import adapter from "./acme.mjs"; ${imports}
        describeContract(storageOf(adapter, { newUrl: () => "acme:x", archive: true }), { describe, it });`;
      const path = writeModule(folder(), "acme.test.mjs", test);
      // The runner of this test must not run the inner one as its own child.
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const options = { cwd: folder(), env, maxBuffer: 2 ** 26 };
      const running = promisify(execFile)(process.execPath, [...args, path], options);
      const { code, stdout } = await running.catch((error) => error);
      expect(code).to.be.greaterThan(0);
      expect(stdout)
        .to.include("a bigint as its id")
        .and.include("Seen: get(1n): expected {")
        .and.include("idle connection lost")
        .and.include("expected a PetConflict");
    });
  }
});
