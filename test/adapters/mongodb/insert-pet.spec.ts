import { mock } from "node:test";
import { expect } from "chai";
import { BSON, type Document, type FindOptions, MongoServerError, ObjectId } from "mongodb";
import type { Pets } from "../../../src/adapters/mongodb/documents.js";
import { CODE, DatabaseError } from "../../../src/adapters/mongodb/errors.js";
import { insertPet } from "../../../src/adapters/mongodb/insert-pet.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;
const RECORD = { key: "key", fingerprint: "fingerprint" };

/** A database with these documents, which gives the ids from 1 up to `lastId`. */
class FakeDatabase {
  readonly collided: bigint[] = [];
  readonly claims = new Map<string, Document>();
  /** What the server does in place of the next insert. */
  instead: ((document: Document) => never) | undefined;
  private next = 1n;

  constructor(
    readonly documents: Document[],
    private readonly lastId = 100n,
  ) {}

  readonly collection = {
    insertOne: async (document: Document) => {
      const { instead } = this;
      this.instead = undefined;
      instead?.(document);
      if (this.inTheWay(document._id, document.idempotency?.key).length > 0) throw duplicate();
      this.documents.push(document);
    },
    find: ({ _id, ...byKey }: Document, options: FindOptions) =>
      read(this.inTheWay(_id, byKey["idempotency.key"]), options),
  };

  readonly keys = {
    insertOne: async (claim: Document) => {
      if (this.claims.has(claim._id)) throw duplicate();
      this.claims.set(claim._id, claim);
    },
    find: ({ _id }: Document, options: FindOptions) => read([this.claims.get(_id) ?? []].flat(), options),
    updateOne: async ({ _id, "pet._id": id }: Document, { $set }: Document) => {
      const isIt = this.claims.get(_id)?.pet._id === id;
      if (isIt) this.claims.set(_id, { _id, ...$set });
      return { matchedCount: isIt ? 1 : 0 };
    },
  };

  readonly ids = {
    take: async () => {
      if (this.next > this.lastId) throw new DatabaseError("none is left");
      return this.next++;
    },
    collided: (id: bigint) => this.collided.push(id),
  };

  insert(record?: typeof RECORD) {
    return insertPet(this as unknown as Pets, REX, record);
  }

  private inTheWay(id: bigint, key: string | undefined): Document[] {
    return this.documents.filter(
      ({ _id, idempotency }) => _id === id || (key !== undefined && idempotency?.key === key),
    );
  }
}

/** The documents with the members of the projection alone, as a server sends them. */
const read = (documents: Document[], { projection }: FindOptions) => ({
  toArray: async () =>
    documents.map((document) => {
      const shown = ([name]: [string, unknown]) => !projection || name === "_id" || name in projection;
      return BSON.serialize(Object.fromEntries(Object.entries(document).filter(shown)));
    }),
});

const duplicate = () => new MongoServerError({ message: "E11000 duplicate key", code: CODE.DuplicateKey });

const others = (count: number) => Array.from({ length: count }, (_, n) => ({ ...REX, _id: BigInt(n + 1) }));

describe("insertPet of MongoDB", () => {
  // No pause between two tries.
  beforeEach(() => mock.method(Math, "random", () => 0));
  afterEach(() => mock.restoreAll());

  it("tries five further ids while other documents have them, and tells of each", async () => {
    const database = new FakeDatabase(others(5));
    expect(await database.insert()).to.deep.equal({ pet: { ...REX, id: 6n }, earlierFingerprint: undefined });
    expect(database.collided).to.deep.equal([1n, 2n, 3n, 4n, 5n]);
  });

  it("gives up after six ids, and stores nothing", async () => {
    const database = new FakeDatabase(others(6));
    expect(await database.insert().catch((error) => error)).to.be.instanceOf(DatabaseError);
    expect(database.documents).to.have.length(6);
  });

  it("replays the pet of a claim, which it stores if nobody has, also if no id is left", async () => {
    for (const lastId of [100n, 0n]) {
      const database = new FakeDatabase([], lastId);
      database.claims.set("key", { _id: "key", fingerprint: "fingerprint", pet: { ...REX, _id: 9n } });
      for (let round = 0; round < 2; round++) {
        const replay = { pet: { ...REX, id: 9n }, earlierFingerprint: "fingerprint" };
        expect(await database.insert(RECORD)).to.deep.equal(replay);
      }
      expect(database.documents).to.have.length(1);
    }
  });

  it("moves a claim to another id while documents of other programs are in its way", async () => {
    const database = new FakeDatabase(others(2));
    expect(await database.insert(RECORD)).to.deep.equal({
      pet: { ...REX, id: 3n },
      earlierFingerprint: undefined,
    });
    expect(database.claims.get("key")?.pet._id).to.equal(3n);
    expect((await database.insert(RECORD)).pet.id).to.equal(3n);
  });

  it("follows a claim that somebody else has moved", async () => {
    const database = new FakeDatabase(others(1));
    const { updateOne } = database.keys;
    database.keys.updateOne = async (...change) => {
      database.keys.updateOne = updateOne;
      await updateOne(change[0], { $set: { fingerprint: "fingerprint", pet: { ...REX, _id: 70n } } });
      return updateOne(...change);
    };
    expect((await database.insert(RECORD)).pet.id).to.equal(70n);
  });

  it("fails without an id that is left, unless a pet is under the key", async () => {
    for (const record of [undefined, RECORD]) {
      const failure = await new FakeDatabase([], 0n).insert(record).catch((error) => error);
      expect(failure).to.be.instanceOf(DatabaseError);
    }
  });

  it("knows its own document if the server has run the insert twice", async () => {
    const database = new FakeDatabase([]);
    database.instead = (document) => {
      database.documents.push(document);
      throw duplicate();
    };
    expect(await database.insert()).to.deep.equal({ pet: { ...REX, id: 1n }, earlierFingerprint: undefined });
    expect(database.documents).to.have.length(1);
  });

  it("knows its own document also under a further id", async () => {
    const database = new FakeDatabase(others(1));
    const { collection } = database;
    const { insertOne } = collection;
    collection.insertOne = async (document) => {
      await insertOne(document);
      throw duplicate();
    };
    expect((await database.insert()).pet.id).to.equal(2n);
  });

  it("takes the document of another create for no answer of its own", async () => {
    const database = new FakeDatabase([{ ...REX, _id: 1n, creation: new ObjectId() }]);
    expect((await database.insert()).pet.id).to.equal(2n);
  });

  it("tries the same id again after a deadlock of the server", async () => {
    const database = new FakeDatabase([]);
    database.instead = () => {
      throw new MongoServerError({ message: "deadlock detected" });
    };
    expect((await database.insert()).pet.id).to.equal(1n);
  });

  it("names another unique index if no document in the way has the id or the key", async () => {
    const database = new FakeDatabase([]);
    database.collection.insertOne = () => Promise.reject(duplicate());
    const failure = await database.insert(RECORD).catch((error) => error);
    expect(failure.message).to.match(/another unique index of the collection pets .*; drop that index$/);
  });

  it("passes any other failure on", async () => {
    const database = new FakeDatabase([]);
    const failure = new MongoServerError({ message: "not authorized", code: 13 });
    database.instead = () => {
      throw failure;
    };
    expect(await database.insert().catch((error) => error)).to.equal(failure);
  });

  it("names a pet under the key that is malformed", async () => {
    const database = new FakeDatabase([{ _id: 9n, idempotency: RECORD }]);
    const failure = await database.insert(RECORD).catch((error) => error);
    expect(failure.message).to.match(/malformed, _id 9$/);
  });
});
