import mongodb from "../../../src/adapters/mongodb/mongodb-adapter.js";
import * as kit from "../../../src/storage-kit/storage-contract.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

describeWithMongodb("A MongoDB server", (url) => {
  let proxy: MongodbProxy;
  before(async () => {
    proxy = await MongodbProxy.start(url);
  });
  after(() => proxy.stop());
  async function setSilent(silent: boolean): Promise<void> {
    proxy.trouble = { silent };
  }
  const surroundings = {
    archive: true,
    async newUrl(): Promise<string> {
      await dropDatabase(url);
      return proxy.urlOf(url);
    },
    async deletePet(url: string, id: bigint): Promise<void> {
      await withDatabase(url, (db) => db.collection<{ _id: bigint }>("pets").deleteOne({ _id: id }));
    },
    outage: { down: () => proxy.kill(), up: () => proxy.revive() },
    pause: { down: () => setSilent(true), up: () => setSilent(false) },
    ...kit.otherProcess(),
  };
  kit.describeContract(kit.storageOf(mongodb, surroundings));
});
