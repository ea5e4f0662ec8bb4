import { mock } from "node:test";
import { expect } from "chai";
import { around, type Wrapper } from "../../../src/adapters/guard/around.js";
import { Circuit } from "../../../src/adapters/guard/circuit.js";
import { deadline } from "../../../src/adapters/guard/deadline.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { PET_OPERATIONS, type PetRepository } from "../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

type Trouble = "none" | "away" | "mute" | "unwritable" | "full" | "silent" | "mistaken";

/** A storage that can fail in several ways. */
class TroubledStorage {
  trouble: Trouble = "none";
  /** How many operations the guard has asked for. */
  asked = 0;
  readonly pets = around<PetRepository>(
    new MemoryPetRepository(),
    PET_OPERATIONS,
    async (operate, { kind }) => {
      await this.meet(kind === "write" ? "create" : "read");
      return operate();
    },
  );

  ping(): Promise<void> {
    return this.meet("ping");
  }

  private async meet(operation: "create" | "read" | "ping"): Promise<void> {
    this.asked++;
    const { trouble } = this;
    if (trouble === "away" || (trouble === "full" && operation === "create")) {
      throw storageUnavailable(new Error(`no ${operation}: ${trouble}`));
    }
    if (trouble === "unwritable" && operation !== "read") throw storageUnavailable(new Error("stands still"));
    if (trouble === "mute") throw storageUnavailable(undefined);
    if (trouble === "mistaken") throw new TypeError("a mistake");
    if (trouble === "silent") await new Promise(() => {});
  }
}

describe("Circuit", () => {
  let storage: TroubledStorage;
  let circuit: Circuit;
  let pets: PetRepository;
  let captured: ReturnType<typeof captureLog>;
  let now = 0;

  beforeEach(async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(performance, "now", () => now);
    captured = captureLog();
    storage = new TroubledStorage();
    circuit = new Circuit(
      () => storage.ping(),
      () => storage.pets.get(0n),
      captured.log,
    );
    const guard: Wrapper = (call, { kind }) => circuit.run(kind, call);
    pets = around<PetRepository>(storage.pets, PET_OPERATIONS, guard, deadline);
    await pass();
  });

  afterEach(() => {
    circuit.stop();
    mock.timers.reset();
    mock.restoreAll();
  });

  /** Lets time pass, and then those do their work who waited for it. */
  async function pass(milliseconds = 0): Promise<void> {
    now += milliseconds;
    mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
  }

  const WENT = "the storage cannot be used; asking until it answers";
  const BACK = "the storage answers again";
  const messages = () => captured.lines.map(({ msg }) => msg);
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "worked",
      ({ code, name }) => code ?? name,
    );

  it("says once that the storage is away, with the reason, and once that it is back", async () => {
    storage.trouble = "away";
    for (let n = 0; n < 50; n++) expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    await pass();
    expect(messages()).to.deep.equal([WENT]);
    expect(captured.lines[0]?.err).to.include({ message: "no read: away" });
    storage.trouble = "none";
    await pass(500);
    expect(await outcome(pets.create(PET))).to.equal("worked");
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  it("logs the refusal itself of a storage that names no cause", async () => {
    storage.trouble = "mute";
    await outcome(pets.get(1n));
    await pass();
    expect(captured.lines[0]?.err).to.include({ code: "storage_unavailable" });
  });

  it("refuses creates from the moment at which the log says that the storage is away, though its ping fails later", async () => {
    let failPing = () => {};
    storage.ping = () =>
      new Promise((_resolve, reject) => {
        failPing = () => reject(storageUnavailable(new Error("late")));
      });
    storage.trouble = "away";
    await outcome(pets.get(1n));
    await pass();
    expect(messages()).to.deep.equal([]);
    failPing();
    await pass();
    expect(messages()).to.deep.equal([WENT]);
    storage.asked = 0;
    for (const work of [pets.create(PET), pets.get(1n)]) {
      expect(await outcome(work)).to.equal("storage_unavailable");
    }
    expect(storage.asked).to.equal(0);
  });

  it("finds out within 2 s that the storage is away, though nobody sends a request, and probes it twice a second", async () => {
    storage.trouble = "away";
    await pass(2000);
    expect(messages()).to.deep.equal([WENT]);
    storage.asked = 0;
    for (let n = 0; n < 4; n++) await pass(500);
    // A ping and a read.
    expect(storage.asked).to.equal(2 * 4);
  });

  it("lets one operation each half second through while the storage is away, and all once one succeeds", async () => {
    storage.ping = () => Promise.reject(storageUnavailable(new Error("the probe never succeeds")));
    storage.pets.get = async () => undefined;
    storage.trouble = "unwritable";
    await pass(2000);
    for (const asked of [0, 1, 1]) {
      storage.asked = 0;
      for (let n = 0; n < 9; n++) expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
      expect(storage.asked).to.equal(asked);
      now += 500;
    }
    storage.trouble = "none";
    for (let n = 0; n < 9; n++) expect(await outcome(pets.create(PET))).to.equal("worked");
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  for (const [what, succeeds, expected] of [
    ["a create", () => pets.create(PET), []],
    ["only a read", () => pets.get(1n), [WENT]],
  ] as const) {
    it(`believes an operation rather than a ping that fails later: ${what} succeeds meanwhile`, async () => {
      let failPing = () => {};
      storage.ping = () =>
        new Promise((_resolve, reject) => {
          failPing = () => reject(storageUnavailable(new Error("late")));
        });
      const isReady = circuit.probe();
      await pass(1);
      await succeeds();
      failPing();
      expect(await isReady).to.equal(expected.length === 0);
      expect(messages()).to.deep.equal(expected);
    });
  }

  it("lets an operation that fails cost only itself", async () => {
    for (let n = 0; n < 20; n++) {
      storage.trouble = "full";
      const failing = outcome(pets.create(PET));
      storage.trouble = "none";
      expect(await failing).to.equal("storage_unavailable");
      expect(await outcome(pets.create(PET))).to.equal("worked");
    }
  });

  it("heals if an operation fails in the same turn in which a probe succeeds", async () => {
    const settle = { probe() {}, operation() {} };
    const ask = () => new Promise<void>((resolve) => Object.assign(settle, { probe: resolve }));
    const circuit = new Circuit(ask, async () => undefined, captured.log);
    const operation = circuit.run("write", () => {
      return new Promise((_resolve, reject) => {
        settle.operation = () => reject(storageUnavailable(undefined));
      });
    });
    settle.probe();
    settle.operation();
    expect(await outcome(operation)).to.equal("storage_unavailable");
    await pass();
    expect(await outcome(circuit.run("write", async () => undefined))).to.equal("worked");
    circuit.stop();
  });

  it("goes on reading while only creates fail, and logs once that they fail", async () => {
    storage.trouble = "full";
    for (let n = 0; n < 20; n++) {
      expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
      expect(await outcome(pets.get(1n))).to.equal("worked");
    }
    expect(await circuit.probe()).to.equal(true);
    expect(messages()).to.deep.equal(["operations fail, though the storage answers"]);
  });

  it("goes on reading while a storage is not ready, but can be read", async () => {
    storage.trouble = "unwritable";
    expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    for (let n = 0; n < 100; n++) {
      expect(await outcome(pets.get(1n))).to.equal("worked");
      expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    }
    expect(await circuit.probe()).to.equal(false);
    storage.trouble = "none";
    await pass(500);
    expect(await outcome(pets.create(PET))).to.equal("worked");
  });

  it("gives up an operation that the storage never answers, within 5 s, and refuses later ones", async () => {
    storage.trouble = "silent";
    const working = Promise.all(Array.from({ length: 5 }, () => outcome(pets.get(1n))));
    await pass(5000);
    expect(await working).to.deep.equal(Array(5).fill("storage_unavailable"));
    await pass(5000);
    expect(await outcome(pets.get(1n))).to.equal("storage_unavailable");
    storage.trouble = "none";
    await pass(500);
    expect(await outcome(pets.get(1n))).to.equal("worked");
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  for (const [when, trouble, logged] of [
    ["between two probes", "away", [WENT]],
    ["during a probe", "silent", []],
  ] as const) {
    it(`asks the storage for nothing more, and logs nothing, once it is closed ${when}`, async () => {
      storage.trouble = trouble;
      await pass(2000);
      circuit.stop();
      storage.asked = 0;
      await pass(5000);
      await pass(500);
      expect(storage.asked).to.equal(0);
      expect(messages()).to.deep.equal(logged);
    });
  }

  it("passes an error of the code itself on as it is", async () => {
    storage.trouble = "mistaken";
    expect(await outcome(pets.create(PET))).to.equal("TypeError");
  });

  it("goes on while a read meets a mistake in the storage", async () => {
    storage.pets.get = () => Promise.reject(new TypeError("a mistake"));
    expect(await circuit.probe()).to.equal(true);
    expect(messages()).to.deep.equal([]);
  });
});
