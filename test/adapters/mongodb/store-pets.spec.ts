import { mock } from "node:test";
import { expect } from "chai";
import { BSON, type Document, MongoBulkWriteError, MongoServerError } from "mongodb";
import { CODE, DatabaseError, RefusedError } from "../../../src/adapters/mongodb/errors.js";
import { storePets } from "../../../src/adapters/mongodb/store-pets.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** Stores pet 3, where the server gives these answers to the inserts and has this document. */
async function store(answers: (Error | undefined)[], found?: Document): Promise<unknown> {
  const pets = {
    async insertMany() {
      const answer = answers.shift();
      if (answer) throw answer;
    },
    find: () => ({ toArray: async () => (found ? [BSON.serialize(found)] : []) }),
  };
  const database = { collection: pets, ids: { raise: async () => {} } };
  const archived = [{ pet: { ...REX, id: 3n }, record: undefined }];
  return storePets(database as never, archived).catch((error) => error);
}

const deadlocks = (count: number) =>
  Array.from({ length: count }, () => new MongoServerError({ message: "deadlock detected" }));

/** The driver's error if the server refuses the document with this code. */
const refused = (code: number) =>
  new MongoBulkWriteError({ message: "refused", code, writeErrors: [{ code, index: 0 }] as never }, {
    getWriteConcernError: () => undefined,
  } as never);

describe("storePets of MongoDB", () => {
  // No pause between two tries.
  beforeEach(() => mock.method(Math, "random", () => 0));
  afterEach(() => mock.restoreAll());

  it("sends a batch up to five times that meets itself", async () => {
    expect(await store(deadlocks(4))).to.equal(undefined);
    const [last] = deadlocks(1);
    expect(await store([...deadlocks(4), last])).to.equal(last);
  });

  it("sends a batch up to five times while the document in its way cannot be read yet", async () => {
    const inTheWay = (times: number) => Array.from({ length: times }, () => refused(CODE.DuplicateKey));
    expect(await store(inTheWay(4))).to.equal(undefined);
    expect(await store(inTheWay(5))).to.be.instanceOf(DatabaseError);
  });

  it("names the pet that a validator refuses", async () => {
    for (const code of [CODE.DocumentValidationFailure, CODE.DocumentDbValidationFailure]) {
      const failure = await store([refused(code)]);
      expect(failure).to.be.instanceOf(RefusedError);
      expect(String(failure)).to.match(/refuses pet 3: give the collection a wider one/);
    }
  });

  it("passes any other failure on", async () => {
    for (const failure of [refused(13), new Error("write ECONNRESET")]) {
      expect(await store([failure])).to.equal(failure);
    }
  });
});
