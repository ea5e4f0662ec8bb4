import { mock } from "node:test";
import { expect } from "chai";
import { Guard } from "../../../src/adapters/guard/guard.js";
import { GuardedPets } from "../../../src/adapters/guard/guarded-pets.js";
import { ReadOnlyPets } from "../../../src/adapters/guard/read-only-pets.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import type { Creation, PetRepository } from "../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };
const ALL = { status: undefined, after: 0n, limit: 20 };

type Trouble = "none" | "locked" | "away" | "black hole" | "full disk" | "lost pet" | "bug";

/** A storage that can fail in several ways. */
class TroubledPets extends MemoryPetRepository {
  trouble: Trouble = "none";
  operations = 0;
  pings = 0;

  override async create(pet: NewPet): Promise<Creation> {
    if (this.trouble === "locked") await new Promise(() => {});
    await this.meet(this.trouble === "full disk");
    return super.create(pet);
  }

  override async get(id: bigint): Promise<Pet | undefined> {
    // The guard asks for pet 0 to see whether reads work.
    if (id === 0n) this.operations--;
    await this.meet(this.trouble === "lost pet" && id === 13n);
    return super.get(id);
  }

  override async list(range: typeof ALL): Promise<Pet[]> {
    await this.meet(false);
    return super.list(range);
  }

  async ping(): Promise<void> {
    this.pings++;
    if (this.trouble === "black hole" || this.trouble === "locked") await new Promise(() => {});
    if (this.trouble === "away") throw storageUnavailable(new Error("ECONNREFUSED"));
  }

  private async meet(fails: boolean): Promise<void> {
    this.operations++;
    if (this.trouble === "bug") throw new TypeError("a bug");
    if (this.trouble === "black hole") await new Promise(() => {});
    if (fails || this.trouble === "away") throw storageUnavailable(new Error(`cause: ${this.trouble}`));
  }
}

describe("The guard", () => {
  let storage: TroubledPets;
  let guard: Guard;
  let pets: PetRepository;
  let log: ReturnType<typeof captureLog>;
  let measured: [operation: string, failed: boolean][];

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    storage = new TroubledPets();
    log = captureLog();
    guard = new Guard({ ping: () => storage.ping(), pets: storage }, log.log);
    measured = [];
    const metrics = {
      storageOperation: (operation: string, _seconds: number, failed: boolean) =>
        void measured.push([operation, failed]),
    };
    pets = new GuardedPets(storage, guard, metrics);
  });
  afterEach(() => {
    guard.close();
    mock.timers.reset();
  });

  /** Lets time pass, and what becomes possible by it happen. */
  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed <= milliseconds; passed += 250) {
      await new Promise(setImmediate);
      if (passed < milliseconds) mock.timers.tick(250);
    }
  }

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error) => error.code ?? error.message,
    );
  const messages = () => log.lines.map(({ msg }) => msg);

  it("passes on what the repository answers, and measures each operation", async () => {
    const { pet } = await pets.create(PET);
    expect(pet).to.deep.equal({ ...PET, id: 1n });
    expect(await pets.get(1n)).to.deep.equal(pet);
    expect(await pets.list(ALL)).to.deep.equal([pet]);
    storage.trouble = "bug";
    expect(await outcome(pets.get(1n))).to.equal("a bug");
    expect(measured).to.deep.equal([
      ["create", false],
      ["get", false],
      ["list", false],
      ["get", true],
    ]);
  });

  it("rejects operations at once while the storage is away, and finds it back by itself", async () => {
    storage.trouble = "away";
    expect(await outcome(pets.get(1n))).to.equal("storage_unavailable");
    await pass(0);
    const { operations } = storage;
    for (const work of [pets.get(1n), pets.list(ALL), pets.create(PET)]) {
      expect(await outcome(work)).to.equal("storage_unavailable");
    }
    expect(storage.operations).to.equal(operations);
    const pings = storage.pings;
    await pass(5000);
    expect(storage.pings - pings).to.equal(10);
    storage.trouble = "none";
    await pass(500);
    expect(await outcome(pets.create(PET))).to.equal("done");
    expect(messages()).to.deep.equal([
      "the storage cannot be used; pinging it until it answers",
      "the storage answers again",
    ]);
    expect(log.lines[0]?.err).to.include({ message: "cause: away" });
  });

  it("gives an operation up after 4.5 s, also when nothing ever answers", async () => {
    storage.trouble = "black hole";
    const waiting = outcome(pets.get(1n));
    await pass(4000);
    expect(await Promise.race([waiting, "waits"])).to.equal("waits");
    await pass(500);
    expect(await waiting).to.equal("storage_unavailable");
    await pass(4500);
    expect(await outcome(pets.list(ALL))).to.equal("storage_unavailable");
    expect(storage.operations).to.equal(1);
    storage.trouble = "none";
    await pass(5000);
    expect(await outcome(pets.list(ALL))).to.equal("done");
  });

  it("goes on reading while writes hang, also if nothing was read meanwhile", async () => {
    storage.trouble = "locked";
    const waiting = outcome(pets.create(PET));
    await pass(9500);
    expect(await waiting).to.equal("storage_unavailable");
    expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    expect(await outcome(pets.list(ALL))).to.equal("done");
    expect(await outcome(pets.get(1n))).to.equal("done");
  });

  for (const [trouble, failing, working] of [
    ["full disk", () => pets.create(PET), () => pets.list(ALL)],
    ["lost pet", () => pets.get(13n), () => pets.get(1n)],
  ] as const) {
    it(`refuses nothing that still works: ${trouble}, and logs its cause once a minute`, async () => {
      storage.trouble = trouble;
      for (let round = 0; round < 3; round++) {
        expect(await outcome(failing())).to.equal("storage_unavailable");
        await pass(0);
        expect(await outcome(working())).to.equal("done");
      }
      expect(storage.pings).to.equal(3);
      expect(messages()).to.deep.equal(["an operation failed, though the storage can be used"]);
      expect(log.lines[0]?.err).to.include({ message: `cause: ${trouble}` });
    });
  }

  it("takes an operation that succeeds during the ping for a sign that the storage is not away", async () => {
    storage.trouble = "black hole";
    const waiting = outcome(pets.get(1n));
    await pass(4500);
    await waiting;
    storage.trouble = "none";
    expect(await outcome(pets.list(ALL))).to.equal("done");
    await pass(4500);
    expect(await outcome(pets.list(ALL))).to.equal("done");
    expect(messages()).to.not.include("the storage cannot be used; pinging it until it answers");
  });

  it("says why the storage cannot be used, however its ping fails", async () => {
    expect(await guard.ping()).to.equal(undefined);
    storage.trouble = "away";
    expect(await guard.ping()).to.include({ message: "ECONNREFUSED" });
    storage.ping = () => {
      throw undefined;
    };
    expect(await guard.ping()).to.equal("no reason given");
  });

  it("logs at the start that the storage is away, and nothing once it is closed", async () => {
    storage.trouble = "away";
    await Promise.race([guard.watch(), pass(0)]);
    guard.close();
    storage.trouble = "none";
    await pass(1000);
    expect(messages()).to.deep.equal(["the storage cannot be used; pinging it until it answers"]);
  });

  it("refuses creates, and nothing else, if the service is read-only", async () => {
    await pets.create(PET);
    const readOnly: PetRepository = new ReadOnlyPets(pets);
    expect(await readOnly.create(PET).catch((error) => error)).to.include({ code: "storage_unavailable" });
    expect(await readOnly.get(1n)).to.include({ name: "Rex" });
    expect(await readOnly.list(ALL)).to.have.length(1);
  });
});
