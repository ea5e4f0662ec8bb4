import { join } from "node:path";
import { expect } from "chai";
import { catalogueOf, readCatalogue, withArchive, writeCatalogue } from "../support/catalogues.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { MongodbProxy } from "../support/mongodb-proxy.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { Program, runProgram } from "../support/start-program.js";

const PETS = catalogueOf(Array.from({ length: 40_000 }, (_, n) => n + 1));

describeWithMongodb("petstore copy to a MongoDB that goes down", (url) => {
  let proxy: MongodbProxy;

  const folder = inEmptyFolder();
  beforeEach(async () => {
    proxy = await MongodbProxy.start(url);
  });
  afterEach(() => proxy.kill());

  it("fails with one sentence and exit code 1, at the start and in the middle; the same command finishes it", async () => {
    const source = `sqlite:${join(folder(), "source.db")}`;
    const command = { cwd: folder(), args: ["copy", source, proxy.urlOf(url)] };
    const message = /^petstore: TO: .*unavailable.*\n$/;
    await writeCatalogue(source, PETS);
    await proxy.kill();
    const early = await runProgram(command);
    expect(early).to.deep.include({ code: 1, stdout: "" });
    expect(early.stderr).to.match(message);

    await proxy.revive();
    const copy = new Program(command);
    await withArchive(url, (target) =>
      until(async () => (await target.readPets({ after: 0n, limit: 1 })).length > 0),
    );
    await proxy.kill();
    const { code, stdout, stderr } = await copy.ended;
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
    expect(stderr.split("\n").slice(-2).join("\n")).to.match(message);
    await proxy.revive();
    const there = (await readCatalogue(url)).length;
    expect(there).to.be.lessThan(PETS.length);
    const rest = await runProgram(command);
    expect(rest.stdout).to.match(
      new RegExp(`^copied ${PETS.length - there}, present ${there}, verified 40000 in`),
    );
    expect(await readCatalogue(url)).to.deep.equal(PETS);
  });
});
