import { mock } from "node:test";
import { expect } from "chai";
import { around } from "../../../src/adapters/guard/around.js";
import { Patience } from "../../../src/adapters/guard/patience.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { PET_ARCHIVE_OPERATIONS, type PetArchive } from "../../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import { codeOf } from "../../support/code-of.js";

describe("Patience of a copy", () => {
  let now: number;
  const told: unknown[] = [];

  beforeEach(() => {
    now = 0;
    told.length = 0;
    mock.method(performance, "now", () => now);
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  /** An archive that is away until a time, in seconds. */
  function awayUntil(seconds: number) {
    const pets = new MemoryPetRepository();
    pets.highestId = async () => {
      if (now < 1000 * seconds) throw storageUnavailable(new Error("gone"));
      return 7n;
    };
    return pets;
  }

  /** Lets time pass in steps of half a second until the work settles. */
  async function settled<Result>(work: Promise<Result>): Promise<Result> {
    let done = false;
    const settle = () => (done = true);
    work.then(settle, settle);
    while (!done) {
      await new Promise(setImmediate);
      now += 500;
      mock.timers.tick(500);
    }
    return work;
  }

  /** The archive, behind a patience of its own. */
  function patient(archive: PetArchive, signal = new AbortController().signal): PetArchive {
    const patience = new Patience(signal, (cause) => told.push((cause as Error).message));
    return around(archive, PET_ARCHIVE_OPERATIONS, (call) => patience.ask(call));
  }

  it("asks again until the storage is back, and tells each outage once", async () => {
    let until = 50;
    const pets = new MemoryPetRepository();
    pets.highestId = () => awayUntil(until).highestId();
    const archive = patient(pets);
    expect(await settled(archive.highestId())).to.equal(7n);
    expect(told).to.deep.equal(["gone"]);
    until = now / 1000 + 50;
    expect(await settled(archive.highestId())).to.equal(7n);
    expect(told).to.deep.equal(["gone", "gone"]);
  });

  it("ends after a minute", async () => {
    const asked = patient(awayUntil(1000)).highestId();
    expect(await codeOf(settled(asked))).to.equal("storage_unavailable");
    expect(now).to.be.within(60_000, 62_000);
  });

  it("ends at once at the signal, whether the storage is away or gives no answer", async () => {
    for (const archive of [
      awayUntil(1000),
      Object.assign(new MemoryPetRepository(), { highestId: () => new Promise<bigint>(() => {}) }),
    ]) {
      const controller = new AbortController();
      const work = patient(archive, controller.signal).highestId();
      await new Promise(setImmediate);
      controller.abort(new Error("interrupted"));
      expect(await work.catch(({ message }) => message)).to.equal("interrupted");
    }
  });

  it("passes other errors on", async () => {
    const archive = new MemoryPetRepository();
    archive.highestId = () => Promise.reject(new Error("full"));
    const asked = patient(archive).highestId();
    expect(await asked.catch(({ message }) => message)).to.equal("full");
    expect(told).to.deep.equal([]);
  });
});
