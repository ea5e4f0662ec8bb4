import { expect } from "chai";
import { type Document, MongoServerError } from "mongodb";
import { CODE } from "../../../src/adapters/mongodb/errors.js";
import { Ids } from "../../../src/adapters/mongodb/ids.js";

/** The one document of `counters`, of which other programs take care badly. */
class FakeCounter {
  next: bigint | undefined;
  /** Whether another program deletes the counter each time before an id is taken. */
  isSpoiled = false;

  async findOneAndUpdate(_: Document, { $inc }: Document) {
    if (this.isSpoiled) this.next = undefined;
    if (this.next === undefined) return null;
    const before = { next: this.next };
    this.next += $inc.next;
    return before;
  }

  async insertOne({ next }: Document) {
    if (this.next !== undefined) throw new MongoServerError({ message: "E11000", code: CODE.DuplicateKey });
    this.next = next;
  }

  async updateOne(_: Document, { $max, $set }: Document) {
    if (this.next === undefined) return { matchedCount: 0 };
    const wanted: bigint = ($max ?? $set).next;
    if (wanted > this.next) this.next = wanted;
    return { matchedCount: 1 };
  }
}

describe("Ids of MongoDB", () => {
  const NO_PETS = { find: () => ({ toArray: async () => [] }) };
  let counter: FakeCounter;
  let ids: Ids;
  beforeEach(() => {
    counter = new FakeCounter();
    ids = new Ids(counter as never, NO_PETS as never);
  });

  it("keep their block if another pet has an id of an earlier one", async () => {
    for (let id = 1n; id <= 1001n; id++) expect(await ids.take()).to.equal(id);
    ids.collided(5n);
    expect(await ids.take()).to.equal(1002n);
    ids.collided(1003n);
    expect(await ids.take()).to.equal(2001n);
  });

  it("only have a gap if the answer to a reservation is lost", async () => {
    const { findOneAndUpdate } = counter;
    counter.findOneAndUpdate = async (...change) => {
      await findOneAndUpdate.apply(counter, change);
      throw new Error("read ECONNRESET");
    };
    counter.next = 1n;
    expect(await ids.take().catch(({ message }) => message)).to.equal("read ECONNRESET");
    counter.findOneAndUpdate = findOneAndUpdate;
    expect(await ids.take()).to.equal(1001n);
  });

  it("rise even if another program has deleted the counter", async () => {
    await ids.raise(5000n);
    expect(counter.next).to.equal(5001n);
    expect(await ids.take()).to.equal(5001n);
  });

  it("are not given again by this process if another program sets the counter back, even below half a block", async () => {
    for (let id = 1n; id <= 1000n; id++) expect(await ids.take()).to.equal(id);
    counter.next = 1n;
    expect(await ids.take()).to.equal(1001n);
    ids.collided(1002n);
    counter.next = 501n;
    expect(await ids.take()).to.equal(2001n);
  });

  it("never fall below an id that was raised, even if another program sets the counter back", async () => {
    await ids.raise(5000n);
    counter.next = 1n;
    expect(await ids.take()).to.equal(5001n);
  });

  it("fail with a hint if another program spoils the counter again and again", async () => {
    counter.isSpoiled = true;
    const failure = await ids.take().catch((error) => error);
    expect(failure.message).to.match(/malformed again and again; which other program writes to counters\?$/);
  });
});
