import { expect } from "chai";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { idOfKey } from "../../../src/adapters/mongodb/pet-ids.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;
const RECORD = { key: "key", fingerprint: "fingerprint" };

/** A sharded collection's answer to a unique index on anything but the shard key. */
const SHARDED = {
  ok: 0,
  code: 67,
  codeName: "CannotCreateIndex",
  errmsg: "cannot create unique index over { idempotency.key: 1 } with shard key pattern { _id: hashed }",
};

describeWithMongodb("A repository on a sharded collection, as a proxy plays it", (url) => {
  const log = pino({ level: "silent" });
  let proxy: MongodbProxy;

  before(async () => {
    proxy = await MongodbProxy.start(url);
    proxy.trouble = { answers: { createIndexes: SHARDED } };
  });

  after(() => proxy.stop());

  const reopen = () => MongodbPetRepository.open(proxy.urlOf(url), log);

  async function open() {
    await dropDatabase(url);
    await withDatabase(url, (database) =>
      database.collection("pets").createIndex({ status: 1, _id: 1 }, { name: "pets_by_status" }),
    );
    return reopen();
  }

  describeContract({ open, reopen, shared: true });

  describe("without a unique index on keys", () => {
    let repository: MongodbPetRepository;

    beforeEach(async () => {
      repository = await open();
    });

    afterEach(() => repository.close());

    it("makes an id out of the key, above the ids out of blocks and below 2^53", async () => {
      const { pet } = await repository.create(PET, RECORD);
      expect(pet.id).to.equal(idOfKey("key", 0));
      const ids = Array.from({ length: 100 }, (_, n) => idOfKey("key", n));
      expect(ids.every((id) => id >= 2n ** 52n && id < 2n ** 53n)).to.equal(true);
      expect((await repository.create(PET)).pet.id).to.equal(1n);
    });

    it("takes the key's next id if another pet has the first, and finds its pet there again", async () => {
      await withDatabase(url, (database) =>
        database.collection<{ _id: bigint }>("pets").insertOne({ ...PET, _id: idOfKey("key", 0) }),
      );
      const { pet } = await repository.create(PET, RECORD);
      expect(pet.id).to.equal(idOfKey("key", 1));
      expect(await repository.create(PET, RECORD)).to.deep.equal({ pet, replayed: "fingerprint" });
    });
  });
});
