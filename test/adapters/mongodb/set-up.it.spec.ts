import { expect } from "chai";
import { MongoServerError } from "mongodb";
import { CODE } from "../../../src/adapters/mongodb/errors.js";
import { type Kept, setUp } from "../../../src/adapters/mongodb/set-up.js";
import { messageOf } from "../../support/code-of.js";

describe("The set-up of MongoDB", () => {
  /** Sets up a collection that the database does not see when the validator is set, so many times. */
  async function setUpUnseen(times: number, code = CODE.NamespaceNotFound) {
    let asked = 0;
    const database = {
      listCollections: () => ({ toArray: async () => [] }),
      async command() {
        asked += 1;
        if (asked <= times) throw new MongoServerError({ message: "unseen", code });
      },
    };
    const collection = { collectionName: "pets", createIndexes: async () => {} };
    const kept = { collection, indexes: [{ key: { status: 1 } }], schema: {} } as unknown as Kept;
    const message = await messageOf(setUp(database as never, kept, {} as never));
    return { asked, message };
  }

  it("begins again if the database does not see the collection, a few times", async () => {
    expect(await setUpUnseen(1)).to.deep.equal({ asked: 2, message: undefined });
    expect(await setUpUnseen(99)).to.deep.equal({ asked: 6, message: "unseen" });
  });

  it("gives up at once after any other error", async () => {
    expect(await setUpUnseen(99, CODE.TypeMismatch)).to.deep.equal({ asked: 1, message: "unseen" });
  });
});
