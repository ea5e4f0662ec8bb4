import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { catalogueOf, readCatalogue, withArchive, writeCatalogue } from "../support/catalogues.js";
import { describeWithMongodb, dropDatabase } from "../support/mongodb-server.js";
import { endPrograms, Program } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

/** The catalogue to copy, whose ids have gaps. */
const PETS = catalogueOf(Array.from({ length: 32_000 }, (_, n) => 3 * n + 1));

/** How many targets to copy into, and how often to kill a copy into each before it may finish. */
const TARGETS = 2;
const KILLS = 2;

/** The moments of the kills are random; the seed of a failing run repeats them. */
const SEED = Number(process.env.PETSTORE_TEST_SEED ?? Date.now() % 1_000_000);

/** Park and Miller's generator: numbers from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe(`petstore copy, killed at random moments (PETSTORE_TEST_SEED=${SEED})`, () => {
  let folder: string;
  let source: string;

  before(async () => {
    folder = makeFolder();
    source = `sqlite:${join(folder, "source.db")}`;
    await writeCatalogue(source, PETS);
    await withArchive(source, (archive) => archive.raiseIds(200_000n));
  });
  afterEach(endPrograms);
  after(() => removeFolder(folder));

  const start = (target: string) => new Program({ cwd: folder, args: ["copy", source, target] });

  /** The time of a copy that nobody kills, in milliseconds. */
  async function durationOf(target: string): Promise<number> {
    const began = performance.now();
    expect((await start(target).ended).code).to.equal(0);
    return performance.now() - began;
  }

  async function killAndFinish(target: string, duration: number, random: () => number): Promise<void> {
    const moments: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const copy = start(target);
      await Promise.race([sleep(duration * (0.25 + 0.45 * random())), copy.ended]);
      const ended = copy.child.exitCode !== null;
      await copy.stop("SIGKILL");
      moments.push(`${(await readCatalogue(target).catch(() => [])).length}${ended ? " (finished)" : ""}`);
    }
    const { code, stdout, stderr } = await start(target).ended;
    expect(code, stderr).to.equal(0);
    const [, copied, present, verified] = /copied (\d+), present (\d+), verified (\d+)/.exec(stdout) ?? [];
    console.log(`      killed at ${moments.join(" and ")} pets; then copied ${copied}, present ${present}`);
    expect(Number(copied) + Number(present)).to.equal(PETS.length);
    expect(Number(verified)).to.equal(PETS.length);
    expect(await readCatalogue(target)).to.deep.equal(PETS);
    await withArchive(target, async (archive) => {
      const { pet } = await archive.create({ name: "Rex", categoryId: 7n, status: "sold" });
      expect(pet.id > 200_000n).to.equal(true);
    });
  }

  it("is finished by the next copy (SQLite to SQLite)", async () => {
    const random = randomOf(SEED);
    const targetOf = (n: number) => `sqlite:${join(folder, `target${n}.db`)}`;
    const duration = await durationOf(targetOf(0));
    for (let n = 1; n <= TARGETS; n++) await killAndFinish(targetOf(n), duration, random);
  });

  describeWithMongodb("into MongoDB", (url) => {
    it("is finished by the next copy (SQLite to MongoDB)", async () => {
      const random = randomOf(SEED);
      const duration = await durationOf(url);
      for (let n = 1; n <= TARGETS; n++) {
        await dropDatabase(url);
        await killAndFinish(url, duration, random);
      }
    });
  });
});
