import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { GuardedPetRepository } from "../../../src/adapters/outages/guarded-pet-repository.js";
import type { Creation, PetRange } from "../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";
import { eventually } from "../../support/eventually.js";
import { API_KEY, startApp } from "../../support/start-app.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

type Trouble = "none" | "away" | "unwritable" | "full" | "silent" | "unlisted" | "mistaken";

/** A storage that can fail in several ways. */
class TroubledPetRepository extends MemoryPetRepository {
  trouble: Trouble = "none";
  /** How many operations the guard has asked for, and how many of them were reads. */
  asked = 0;
  reads = 0;
  /** How many operations the storage holds without an answer. */
  silent = 0;
  /** Answers the operations that the storage holds. */
  settle = () => {};
  private readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  private async meet(operation: "create" | "read" | "ping"): Promise<void> {
    this.asked++;
    if (operation === "read") this.reads++;
    const { trouble } = this;
    if (trouble === "away" || (trouble === "full" && operation === "create")) {
      throw storageUnavailable(new Error(`no ${operation}: ${trouble}`));
    }
    if (trouble === "unwritable" && operation !== "read") throw storageUnavailable(new Error("stands still"));
    if (trouble === "mistaken") throw new TypeError("a mistake");
    if (trouble === "silent") await new Promise(() => {});
  }

  override async create(pet: NewPet): Promise<Creation> {
    await this.meet("create");
    return super.create(pet);
  }

  override async get(id: bigint): Promise<Pet | undefined> {
    await this.meet("read");
    return super.get(id);
  }

  override async list(range: PetRange): Promise<Pet[]> {
    if (this.trouble === "unlisted") {
      this.silent++;
      await this.settled;
    }
    await this.meet("read");
    return super.list(range);
  }

  override async ping(): Promise<void> {
    await this.meet("ping");
  }
}

describe("GuardedPetRepository", () => {
  let storage: TroubledPetRepository;
  let guarded: GuardedPetRepository;
  let captured: ReturnType<typeof captureLog>;

  beforeEach(async () => {
    captured = captureLog();
    storage = new TroubledPetRepository();
    guarded = new GuardedPetRepository(storage, captured.log, 1000);
    await guarded.ping();
  });

  afterEach(() => guarded.close());

  const WENT = "the storage cannot be used; asking until it answers";
  const BACK = "the storage answers again";
  const messages = () => captured.lines.map(({ msg }) => msg);
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "worked",
      ({ code, name }) => code ?? name,
    );

  it("passes the storage's answers on", async () => {
    const { pet } = await guarded.create(PET);
    expect(await guarded.get(pet.id)).to.equal(pet);
    expect(await guarded.list({ status: undefined, after: 0n, limit: 5 })).to.deep.equal([pet]);
    expect(messages()).to.deep.equal([]);
  });

  it("says once that the storage is away, with the reason, and once that it is back, with how many requests failed", async () => {
    storage.trouble = "away";
    for (let n = 0; n < 50; n++) expect(await outcome(guarded.create(PET))).to.equal("storage_unavailable");
    expect(messages()).to.deep.equal([WENT]);
    expect(captured.lines[0]?.err).to.include({ message: "no ping: away" });
    storage.trouble = "none";
    await eventually(async () => (await outcome(guarded.create(PET))) === "worked" || undefined);
    expect(messages()).to.deep.equal([WENT, BACK]);
    expect(captured.lines[1]?.failedRequests).to.be.at.least(50);
  });

  it("only pings a storage that is away", async () => {
    storage.trouble = "away";
    await outcome(guarded.get(1n));
    await eventually(() => messages()[0]);
    storage.asked = 0;
    for (let n = 0; n < 100; n++) expect(await outcome(guarded.get(1n))).to.equal("storage_unavailable");
    expect(await outcome(guarded.ping())).to.equal("storage_unavailable");
    expect(storage.asked).to.be.at.most(2);
  });

  it("pings a storage that is away at intervals, however often pings fail", async () => {
    storage.trouble = "away";
    await outcome(guarded.get(1n));
    const { asked, reads } = storage;
    await sleep(2300);
    expect(storage.asked - asked - (storage.reads - reads)).to.be.within(1, 5);
  });

  it("knows that the storage is away before the first request", async () => {
    storage.trouble = "away";
    const other = new GuardedPetRepository(storage, captured.log, 1000);
    await eventually(() => messages()[0]);
    expect(messages()).to.deep.equal([WENT]);
    await other.close();
  });

  it("goes on reading while only creates fail, and logs once that they fail", async () => {
    storage.trouble = "full";
    for (let n = 0; n < 20; n++) {
      expect(await outcome(guarded.create(PET))).to.equal("storage_unavailable");
      expect(await outcome(guarded.get(1n))).to.equal("worked");
    }
    await guarded.ping();
    expect(messages()).to.deep.equal(["creates fail, though the storage answers"]);
  });

  it("goes on reading while a storage is not ready, but can be read", async () => {
    storage.trouble = "unwritable";
    expect(await outcome(guarded.create(PET))).to.equal("storage_unavailable");
    for (let n = 0; n < 100; n++) {
      expect(await outcome(guarded.get(1n))).to.equal("worked");
      expect(await outcome(guarded.create(PET))).to.equal("storage_unavailable");
    }
    expect(await outcome(guarded.ping())).to.equal("storage_unavailable");
    storage.trouble = "none";
    await eventually(async () => (await outcome(guarded.create(PET))) === "worked" || undefined);
  });

  it("gives up an operation that the storage never answers, and refuses later ones", async function () {
    this.timeout(30_000);
    storage.trouble = "silent";
    const begun = Date.now();
    const working = Array.from({ length: 5 }, () => outcome(guarded.get(1n)));
    expect(await Promise.all(working)).to.deep.equal(Array(5).fill("storage_unavailable"));
    expect(Date.now() - begun).to.be.within(3000, 5000);
    await eventually(() => messages()[0]);
    storage.trouble = "none";
    await eventually(async () => (await outcome(guarded.get(1n))) === "worked" || undefined);
    await eventually(() => messages()[1]);
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  it("refuses operations beyond 1000 at once", async function () {
    this.timeout(30_000);
    storage.trouble = "silent";
    const begun = Date.now();
    let refused = 0;
    for (let n = 0; n < 1500; n++) {
      guarded.get(1n).catch(() => {
        if (Date.now() - begun < 2000) refused++;
      });
    }
    await sleep(500);
    expect(refused).to.equal(500);
  });

  it("takes as many operations as it is told to, and its own pings beside them", async () => {
    await guarded.close();
    guarded = new GuardedPetRepository(storage, captured.log, 1500);
    await guarded.ping();
    const creates = Array.from({ length: 1500 }, () => outcome(guarded.create(PET)));
    expect(await outcome(guarded.ping())).to.equal("worked");
    expect(new Set(await Promise.all(creates))).to.deep.equal(new Set(["worked"]));
  });

  it("counts an operation until the storage has settled it, even if the guard gave it up before", async function () {
    this.timeout(30_000);
    await guarded.close();
    guarded = new GuardedPetRepository(storage, captured.log, 50);
    await guarded.ping();
    storage.trouble = "unlisted";
    for (let round = 0; round < 2; round++) {
      const lists = Array.from({ length: 60 }, () =>
        outcome(guarded.list({ status: undefined, after: 0n, limit: 1 })),
      );
      await Promise.all(lists);
    }
    expect(storage.silent).to.equal(50);
    storage.settle();
    await eventually(async () => (await outcome(guarded.get(1n))) === "worked" || undefined);
  });

  it("asks for no second read before the storage has settled the first", async function () {
    this.timeout(30_000);
    await guarded.ping();
    storage.trouble = "silent";
    storage.asked = 0;
    expect(await outcome(guarded.ping())).to.equal("storage_unavailable");
    // Past the deadline of the second ping, after which the guard would read again.
    await sleep(6000);
    expect(storage.reads).to.equal(1);
    expect(storage.asked).to.be.greaterThan(2);
  });

  it("asks the storage for nothing more, and logs nothing, after stopAsking", async function () {
    this.timeout(30_000);
    storage.trouble = "away";
    await outcome(guarded.get(1n));
    await eventually(() => messages()[0]);
    guarded.stopAsking();
    await sleep(100);
    storage.asked = 0;
    await sleep(1200);
    expect(await outcome(guarded.ping())).to.equal("storage_unavailable");
    expect(storage.asked).to.equal(0);
    expect(messages()).to.deep.equal([WENT]);
  });

  it("passes an error of the code itself on as it is", async () => {
    storage.trouble = "mistaken";
    expect(await outcome(guarded.create(PET))).to.equal("TypeError");
  });

  it("is part of the program: a hundred failing requests make two lines of its log", async function () {
    this.timeout(30_000);
    const app = await startApp({ repository: storage, log: captured.log });
    const ask = () => fetch(`${app.origin}/v1/pets`, { headers: { Authorization: `Bearer ${API_KEY}` } });
    try {
      storage.trouble = "away";
      for (let n = 0; n < 100; n++) expect((await ask()).status).to.equal(503);
      storage.trouble = "none";
      await eventually(async () => (await ask()).status === 200 || undefined);
      const told = captured.lines.filter(({ level }) => level > 30);
      expect(told.map(({ msg }) => msg)).to.deep.equal([WENT]);
      expect(messages().filter((msg) => msg === BACK)).to.have.length(1);
      expect(captured.text().match(/\bat /g)?.length ?? 0).to.be.below(20);
    } finally {
      await app.close();
    }
  });
});
