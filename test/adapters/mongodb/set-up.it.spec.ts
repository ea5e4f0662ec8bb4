import { expect } from "chai";
import { MongoServerError } from "mongodb";
import { CODE } from "../../../src/adapters/mongodb/errors.js";
import { type Kept, setUp } from "../../../src/adapters/mongodb/set-up.js";
import { messageOf } from "../../support/code-of.js";

describe("The set-up of MongoDB", () => {
  /** Sets up a collection that the database does not see as its indexes are asked for, so many times. */
  async function setUpUnseen(times: number, code = CODE.NamespaceNotFound) {
    let asked = 0;
    const database = {
      listCollections: () => ({ toArray: async () => [] }),
      createCollection: async () => {},
      command: async () => {},
    };
    const collection = {
      collectionName: "pets",
      listIndexes: () => ({
        async toArray() {
          asked += 1;
          if (asked <= times) throw new MongoServerError({ message: "unseen", code });
          return [];
        },
      }),
    };
    const ids = { seed: async () => {} };
    const keys = { collectionName: "pets_keys" };
    const kept = { collection, keys, ids, indexes: [], schema: {} } as unknown as Kept;
    const message = await messageOf(setUp(database as never, kept, {} as never));
    return { asked, message };
  }

  it("begins again if the database does not see a collection, a few times", async () => {
    expect(await setUpUnseen(1)).to.deep.equal({ asked: 2, message: undefined });
    expect(await setUpUnseen(99)).to.deep.equal({ asked: 6, message: "unseen" });
  });

  it("gives up at once after any other error", async () => {
    expect(await setUpUnseen(99, CODE.BadValue)).to.deep.equal({ asked: 1, message: "unseen" });
  });
});
