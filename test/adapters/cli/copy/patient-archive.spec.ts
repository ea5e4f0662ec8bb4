import { mock } from "node:test";
import { expect } from "chai";
import { Patience } from "../../../../src/adapters/cli/copy/patient-archive.js";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import { codeOf } from "../../../support/code-of.js";

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

  const patience = (signal = new AbortController().signal) =>
    new Patience(signal, (cause) => told.push((cause as Error).message));

  it("asks again until the storage is back, and tells each outage once", async () => {
    const sut = patience();
    expect(await settled(sut.archive(awayUntil(50)).highestId())).to.equal(7n);
    expect(told).to.deep.equal(["gone"]);
    expect(await settled(sut.archive(awayUntil(now / 1000 + 50)).highestId())).to.equal(7n);
    expect(told).to.deep.equal(["gone", "gone"]);
  });

  it("ends after a minute", async () => {
    const asked = patience().archive(awayUntil(1000)).highestId();
    expect(await codeOf(settled(asked))).to.equal("storage_unavailable");
    expect(now).to.be.within(60_000, 62_000);
  });

  it("ends at once at the signal, whether the storage is away or gives no answer", async () => {
    for (const archive of [
      awayUntil(1000),
      Object.assign(new MemoryPetRepository(), { highestId: () => new Promise<bigint>(() => {}) }),
    ]) {
      const controller = new AbortController();
      const work = patience(controller.signal).archive(archive).highestId();
      await new Promise(setImmediate);
      controller.abort(new Error("interrupted"));
      expect(await work.catch(({ message }) => message)).to.equal("interrupted");
    }
  });

  it("passes other errors on", async () => {
    const archive = new MemoryPetRepository();
    archive.highestId = () => Promise.reject(new Error("full"));
    const asked = patience().archive(archive).highestId();
    expect(await asked.catch(({ message }) => message)).to.equal("full");
    expect(told).to.deep.equal([]);
  });
});
