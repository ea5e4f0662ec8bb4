import { join } from "node:path";
import { expect } from "chai";
import { catalogueOf, readCatalogue, withArchive, writeCatalogue } from "../support/catalogues.js";
import { eventually } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { MongodbProxy } from "../support/mongodb-proxy.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { Program } from "../support/start-program.js";

const PETS = catalogueOf(Array.from({ length: 40_000 }, (_, n) => n + 1));

describeWithMongodb("petstore copy to a MongoDB that goes away", (url) => {
  let proxy: MongodbProxy;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    proxy = await MongodbProxy.start(url);
  });
  afterEach(() => proxy.stop());

  it("waits for it, says so, and goes on once it is back", async () => {
    const source = `sqlite:${join(folder(), "source.db")}`;
    await writeCatalogue(source, PETS);
    // So slow that the copy is not finished before the proxy is killed.
    proxy.trouble = { delay: 200 };
    const copy = new Program({ cwd: folder(), args: ["copy", source, proxy.urlOf(url)] });
    await withArchive(url, (target) =>
      eventually(async () => (await target.readPets({ after: 0n, limit: 1 }))[0]),
    );
    await proxy.kill();
    proxy.trouble = {};
    await eventually(() => copy.stderr.includes("TO: the storage is away (") || undefined);
    await proxy.revive();
    const { code, stdout, stderr } = await copy.ended;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(new RegExp(`verified ${PETS.length} in`));
    expect(await readCatalogue(url)).to.deep.equal(PETS);
  });
});
