import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { otherProcess } from "../../src/storage-kit/storage-contract.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";

describe("The other process of the contract", () => {
  const folder = inEmptyFolder();
  const rex = { name: "Rex", categoryId: -1n, status: "sold" } as const;

  function withStorage(open: string) {
    const log = JSON.stringify(join(folder(), "log"));
    const source = `import { appendFileSync } from "node:fs";
      const log = (text) => appendFileSync(${log}, text + "\\n");
      ${outsideStorage(`open: async () => { ${open} },`)}`;
    return otherProcess(writeModule(folder(), "acme.mjs", source));
  }
  const logged = () => readFileSync(join(folder(), "log"), "utf8");

  it("is dead, and has closed nothing, once createAndDie has resolved", async () => {
    const open = `log(process.pid); return { ...storageOf(new Pets()), close: async () => log("closed") };`;
    expect(await withStorage(open).createAndDie("acme:x", [rex])).to.deep.equal([{ ...rex, id: 1n }]);
    expect(logged()).to.match(/^\d+\n$/);
    expect(() => process.kill(Number(logged()), 0)).to.throw("ESRCH");
  });

  it("closes the storage, and ends by itself, once useAndClose has resolved", async () => {
    const open = `return { ...storageOf(new Pets()), close: async () => log("closed") };`;
    expect(await withStorage(open).useAndClose("acme:x")).to.equal(true);
    expect(logged()).to.equal("closed\n");
  });

  it("says how it failed", async () => {
    const failed = await withStorage(`throw new Error("no acme");`)
      .useAndClose("acme:x")
      .catch(({ message }: Error) => message);
    expect(failed).to.match(/^another process failed: Error: no acme/);
  });
});
