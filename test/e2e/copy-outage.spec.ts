import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { catalogueOf, readCatalogue, withArchive, writeCatalogue } from "../support/catalogues.js";
import { eventually } from "../support/eventually.js";
import { MongodbProxy } from "../support/mongodb-proxy.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { endPrograms, Program, runProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

/** How long the storage is away, in milliseconds. */
const AWAY = 12_000;

const PETS = catalogueOf(Array.from({ length: 40_000 }, (_, n) => n + 1));

describeWithMongodb("petstore copy with MongoDB", (url) => {
  let folder: string;
  let proxy: MongodbProxy;

  beforeEach(async () => {
    folder = makeFolder();
    proxy = await MongodbProxy.start(url);
  });
  afterEach(async () => {
    await endPrograms();
    await proxy.stop();
    removeFolder(folder);
  });

  /** Takes the server behind the proxy away once the copy has begun to store or to read, and brings it back. */
  async function copyWithOutage(from: string, to: string, begun: () => Promise<boolean>): Promise<void> {
    const copy = new Program({ cwd: folder, args: ["copy", from, to] });
    await eventually(async () => ((await begun()) ? true : undefined), 30_000);
    await proxy.kill();
    await sleep(AWAY);
    expect(copy.child.exitCode).to.equal(null);
    await proxy.revive();
    const { code, stdout, stderr } = await copy.ended;
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/^(FROM|TO) is away: it is asked again until it answers \(for \d+ s now\)\.$/m);
    expect(stderr).to.match(/^(FROM|TO) answers again\.$/m);
    expect(stdout).to.match(new RegExp(`^copied ${PETS.length}, present 0, verified ${PETS.length} in`));
  }

  it("waits for the target, says so, and finishes", async () => {
    const source = `sqlite:${join(folder, "source.db")}`;
    await writeCatalogue(source, PETS);
    await withArchive(url, async (target) => {
      const begun = async () => (await target.readPets({ after: 0n, limit: 1 })).length > 0;
      await copyWithOutage(source, proxy.urlOf(url), begun);
    });
    expect(await readCatalogue(url)).to.deep.equal(PETS);
  }).timeout(120_000);

  it("waits for the source, says so, and finishes", async () => {
    await writeCatalogue(url, PETS);
    const path = join(folder, "target.db");
    const begun = async () => existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 300_000;
    await copyWithOutage(proxy.urlOf(url), `sqlite:${path}`, begun);
    expect(await readCatalogue(`sqlite:${path}`)).to.deep.equal(PETS);
  }).timeout(120_000);

  it("refuses two names of one server", async () => {
    await writeCatalogue(url, PETS.slice(0, 10));
    const other = url.replace("//127.0.0.1", "//localhost");
    const { code, stderr } = await runProgram({
      cwd: folder,
      args: ["copy", url, other === url ? proxy.urlOf(url) : other],
    });
    expect(stderr).to.match(/^petstore: FROM and TO are the same storage; name another one as TO\.$/m);
    expect(code).to.equal(2);
    await withArchive(url, async (archive) => expect(await archive.readMark()).to.equal(undefined));
  }).timeout(60_000);
});
