import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { otherProcess } from "../../src/storage-kit/storage-contract.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";

// A case of `petstore conformance` tests that it ends by itself after useAndClose.
describe("The other process of the contract", () => {
  const folder = inEmptyFolder();
  const withStorage = (open: string) =>
    otherProcess(writeModule(folder(), "acme.mjs", outsideStorage(`open: async () => { ${open} },`)));

  it("is dead, and has closed nothing, once createAndDie has resolved", async () => {
    const log = join(folder(), "log");
    const acme = withStorage(`
      const { appendFileSync } = await import("node:fs");
      const log = (text) => appendFileSync(${JSON.stringify(log)}, text + "\\n");
      log(process.pid);
      return { ...storageOf(new Pets()), close: async () => log("closed") };`);
    const rex = { name: "Rex", categoryId: -1n, status: "sold" } as const;
    expect(await acme.createAndDie("acme:x", [rex])).to.deep.equal([{ ...rex, id: 1n }]);
    const logged = readFileSync(log, "utf8");
    expect(logged).to.match(/^\d+\n$/);
    expect(() => process.kill(Number(logged), 0)).to.throw("ESRCH");
  });

  it("says how it failed", async () => {
    const failing = withStorage(`throw new Error("no acme");`).useAndClose("acme:x");
    expect(await failing.catch(({ message }) => message)).to.match(/^another process failed: .*no acme/);
  });
});
