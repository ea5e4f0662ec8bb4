import { mock } from "node:test";
import { expect } from "chai";
import { Guard } from "../../../src/adapters/guard/guard.js";
import { GuardedPets } from "../../../src/adapters/guard/guarded-pets.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import type { Creation, PetRepository } from "../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };
const ALL = { status: undefined, after: 0n, limit: 20 };

type Trouble =
  | "none"
  | "locked"
  | "locked, lost pet"
  | "lost shard"
  | "down"
  | "black hole"
  | "full disk"
  | "lost pet"
  | "bug";

class TroubledPets extends MemoryPetRepository {
  trouble: Trouble = "none";
  operations = 0;
  pings = 0;

  override async create(pet: NewPet): Promise<Creation> {
    if (this.trouble.startsWith("locked")) await new Promise(() => {});
    await this.operate(this.trouble === "full disk");
    return super.create(pet);
  }

  override async get(id: bigint): Promise<Pet | undefined> {
    // The guard probes with this id.
    if (id === 0n) this.operations--;
    const isLost = this.trouble.endsWith("lost pet") && id === 13n;
    await this.operate(isLost || (this.trouble === "lost shard" && (id === 0n || id === 13n)));
    return super.get(id);
  }

  override async list(range: typeof ALL): Promise<Pet[]> {
    await this.operate(false);
    return super.list(range);
  }

  async ping(): Promise<void> {
    this.pings++;
    if (/^(?:black hole|locked)/.test(this.trouble)) await new Promise(() => {});
    if (this.trouble === "down") throw storageUnavailable(new Error("ECONNREFUSED"));
  }

  private async operate(fails: boolean): Promise<void> {
    this.operations++;
    if (this.trouble === "bug") throw new TypeError("a bug");
    if (this.trouble === "black hole") await new Promise(() => {});
    if (fails || this.trouble === "down") throw storageUnavailable(new Error(`cause: ${this.trouble}`));
  }
}

describe("The guard", () => {
  let storage: TroubledPets;
  let guard: Guard;
  /** The mocked clock, in milliseconds. */
  let clock: number;
  let pets: PetRepository;
  let log: ReturnType<typeof captureLog>;
  let counts: Record<string, [finished: number, failed: number]>;

  const guardOf = (isReadOnly: boolean) =>
    new Guard({ ping: () => storage.ping(), pets: storage }, isReadOnly, log.log, {
      storageOperation(name) {
        counts[name] ??= [0, 0];
        const count = counts[name];
        return { finished: () => count[0]++, failed: () => count[1]++ };
      },
    });

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    clock = 0;
    // A real clock advances between two readings.
    mock.method(performance, "now", () => (clock += 0.001));
    storage = new TroubledPets();
    log = captureLog();
    counts = {};
    guard = guardOf(false);
    pets = new GuardedPets(storage, guard);
  });
  afterEach(() => {
    guard.close();
    mock.timers.reset();
    mock.restoreAll();
  });

  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed <= milliseconds; passed += 250) {
      await new Promise(setImmediate);
      if (passed === milliseconds) return;
      clock += 250;
      mock.timers.tick(250);
    }
  }

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error) => error.code ?? error.message,
    );
  const messages = () => log.lines.map(({ msg }) => msg);

  it("returns the results of the repository, and measures each operation", async () => {
    const { pet } = await pets.create(PET);
    expect(pet).to.deep.equal({ ...PET, id: 1n });
    expect(await pets.get(1n)).to.deep.equal(pet);
    expect(await pets.list(ALL)).to.deep.equal([pet]);
    storage.trouble = "bug";
    expect(await outcome(pets.get(1n))).to.equal("a bug");
    expect(counts).to.deep.equal({ create: [1, 0], get: [2, 1], list: [1, 0] });
  });

  it("rejects operations of a side at once while it is down, recovers by itself, and logs the next failure", async () => {
    storage.trouble = "down";
    for (const work of [() => pets.get(1n), () => pets.create(PET)]) {
      const both = await Promise.all([outcome(work()), outcome(work())]);
      expect(both).to.deep.equal(["storage_unavailable", "storage_unavailable"]);
      await pass(0);
    }
    const { operations } = storage;
    for (const work of [pets.get(1n), pets.list(ALL), pets.create(PET)]) {
      expect(await outcome(work)).to.equal("storage_unavailable");
    }
    expect(storage.operations).to.equal(operations);
    expect(counts, "rejected operations count as failed, and are not measured").to.deep.equal({
      create: [2, 3],
      get: [2, 3],
      list: [0, 1],
    });
    const pings = storage.pings;
    await pass(5000);
    expect(storage.pings - pings, "ten by each side").to.equal(20);
    storage.trouble = "none";
    await pass(500);
    expect(await outcome(pets.create(PET))).to.equal("done");
    storage.trouble = "full disk";
    expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    await pass(0);
    expect(log.lines.map(({ msg, err }) => [msg, (err as Error | undefined)?.message])).to.deep.equal([
      ["storage unavailable; probing until it responds", "cause: down"],
      ["storage responds again", undefined],
      ["operation failed", "cause: full disk"],
    ]);
  });

  it("serves the pets of healthy shards while the shard of id 0 is away, as long as ping succeeds", async () => {
    storage.trouble = "lost shard";
    expect(await outcome(pets.get(13n))).to.equal("storage_unavailable");
    await pass(9500);
    expect(await outcome(pets.get(1n))).to.equal("done");
    expect(await outcome(pets.create(PET))).to.equal("done");
    expect(await guard.isReady()).to.equal(true);
    expect(messages()).to.deep.equal(["operation failed"]);
  });

  it("logs the failures of reads while writes are down", async () => {
    storage.trouble = "locked";
    void outcome(pets.create(PET));
    await pass(14_500);
    storage.trouble = "locked, lost pet";
    expect(await outcome(pets.get(13n))).to.equal("storage_unavailable");
    await pass(0);
    expect(log.lines.map(({ msg, side }) => [msg, side])).to.deep.equal([
      ["storage unavailable; probing until it responds", undefined],
      ["operation failed", "reads"],
    ]);
  });

  it("counts a result that arrived while the machine was paused", async () => {
    let respond = (_pet: undefined) => {};
    storage.get = () => new Promise((resolve) => (respond = resolve));
    const waiting = outcome(pets.get(1n));
    setImmediate(() => respond(undefined));
    mock.timers.tick(8000);
    expect(await waiting).to.equal("done");
  });

  it("abandons an operation after 4.5 s, then rejects at once, and recovers: in each outage", async () => {
    for (const outage of [1, 2]) {
      storage.trouble = "black hole";
      const waiting = [outcome(pets.get(1n)), outcome(pets.create(PET))];
      await pass(4000);
      expect(await Promise.race([...waiting, "pending"])).to.equal("pending");
      await pass(500);
      expect(await Promise.all(waiting)).to.deep.equal(Array(2).fill("storage_unavailable"));
      await pass(4500);
      for (const work of [pets.list(ALL), pets.create(PET)]) {
        expect(await outcome(work)).to.equal("storage_unavailable");
      }
      expect(storage.operations, "nothing else reaches the storage").to.equal(3 * outage - 1);
      storage.trouble = "none";
      await pass(5000);
      expect(await outcome(pets.list(ALL))).to.equal("done");
    }
  });

  it("keeps reading while writes hang, and detects that reads hang later", async () => {
    storage.trouble = "locked";
    const waiting = outcome(pets.create(PET));
    await pass(9500);
    expect(await waiting).to.equal("storage_unavailable");
    expect(await outcome(pets.create(PET))).to.equal("storage_unavailable");
    expect(await outcome(pets.list(ALL))).to.equal("done");
    expect(await outcome(pets.get(1n))).to.equal("done");
    storage.trouble = "black hole";
    void outcome(pets.list(ALL));
    await pass(9500);
    const { operations } = storage;
    expect(await outcome(pets.list(ALL))).to.equal("storage_unavailable");
    expect(storage.operations).to.equal(operations);
    expect(messages(), "one outage").to.deep.equal([
      "storage unavailable; probing until it responds",
      "operation failed",
    ]);
  });

  for (const [trouble, failing, working] of [
    ["full disk", () => pets.create(PET), () => pets.list(ALL)],
    ["lost pet", () => pets.get(13n), () => pets.get(1n)],
  ] as const) {
    it(`rejects nothing that still works: ${trouble}, and logs its cause once in a while`, async () => {
      storage.trouble = trouble;
      for (let round = 0; round < 3; round++) {
        expect(await outcome(failing())).to.equal("storage_unavailable");
        await pass(0);
        expect(await outcome(working())).to.equal("done");
      }
      expect(storage.pings).to.equal(3);
      expect(messages()).to.deep.equal(["operation failed"]);
      expect(log.lines[0]?.err).to.include({ message: `cause: ${trouble}` });
    });
  }

  it("does not declare an outage if an operation succeeds while it probes", async () => {
    storage.trouble = "black hole";
    const waiting = outcome(pets.get(1n));
    await pass(4500);
    await waiting;
    storage.trouble = "none";
    expect(await outcome(pets.list(ALL))).to.equal("done");
    await pass(4500);
    expect(await outcome(pets.list(ALL))).to.equal("done");
    expect(messages()).to.not.include("storage unavailable; probing until it responds");
  });

  it("is ready unless ping fails, even by throwing undefined", async () => {
    expect(await guard.isReady()).to.equal(true);
    storage.ping = () => {
      throw undefined;
    };
    expect(await guard.isReady()).to.equal(false);
  });

  it("logs nothing if it is closed before a probe has failed", async () => {
    storage.trouble = "black hole";
    void outcome(pets.get(1n));
    await pass(4500);
    guard.close();
    await pass(5000);
    expect(messages()).to.deep.equal([]);
  });

  it("logs at startup that the storage is down, and nothing once it is closed", async () => {
    storage.trouble = "down";
    await Promise.race([guard.check(), pass(0)]);
    guard.close();
    storage.trouble = "none";
    await pass(1000);
    expect(messages()).to.deep.equal(["storage unavailable; probing until it responds"]);
  });

  it("rejects only creates if the service is read-only, and then needs only the reads", async () => {
    await pets.create(PET);
    const readOnly = guardOf(true);
    const readOnlyPets = new GuardedPets(storage, readOnly);
    storage.trouble = "locked";
    await readOnly.check();
    expect(await readOnly.isReady()).to.equal(true);
    expect(storage.pings).to.equal(0);
    expect(await outcome(readOnlyPets.create(PET))).to.equal("storage_unavailable");
    expect(await readOnlyPets.get(1n)).to.include({ name: "Rex" });
    expect(await readOnlyPets.list(ALL)).to.have.length(1);
    expect(counts.create, "a read-only rejection is not a failure").to.deep.equal([1, 0]);
    expect(messages()).to.deep.equal([]);
    storage.trouble = "down";
    expect(await readOnly.isReady()).to.equal(false);
    await Promise.race([readOnly.check(), pass(0)]);
    readOnly.close();
    expect(log.lines[0]?.err).property("message").to.include("ECONNREFUSED");
  });
});
