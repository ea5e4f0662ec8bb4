import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { otherProcess } from "../../src/storage-kit/other-process.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";

describe("the other process of the contract", () => {
  const folder = inEmptyFolder();

  it("is dead, holds no lock and has closed nothing once createAndDie has resolved", async () => {
    const path = join(folder(), "pid");
    const source = `
      import { writeFileSync } from "node:fs";
      ${outsideStorage(`open: async () => {
        writeFileSync(${JSON.stringify(path)}, String(process.pid));
        return { ...storageOf(new Pets()), close: async () => writeFileSync(${JSON.stringify(`${path}.closed`)}, "") };
      }`)}`;
    const { createAndDie } = otherProcess(writeModule(folder(), "acme.mjs", source));
    const created = await createAndDie("acme:x", [{ name: "Rex", categoryId: 1n, status: "sold" }]);
    expect(created.map(({ name }) => name)).to.deep.equal(["Rex"]);
    expect(existsSync(`${path}.closed`)).to.equal(false);
    expect(() => process.kill(Number(readFileSync(path, "utf8")), 0)).to.throw("ESRCH");
  });
});
