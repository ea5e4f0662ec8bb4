import { expect } from "chai";
import mongodb from "../../../src/adapters/mongodb/mongodb-adapter.js";
import * as kit from "../../../src/storage-kit/storage-contract.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { describeWithCluster, describeWithReplicaSet, shard } from "../../support/replica-set.js";

const SURROUNDINGS = {
  archive: true,
  async deletePet(url: string, id: bigint): Promise<void> {
    await withDatabase(url, (db) => db.collection<{ _id: bigint }>("pets").deleteOne({ _id: id }));
  },
  ...kit.otherProcess(),
};

/** Does something to each of three members or shards. */
async function forEach(work: (index: number) => unknown): Promise<void> {
  await Promise.all([0, 1, 2].map(work));
}

describeWithMongodb("A MongoDB server", (url) => {
  let proxy: MongodbProxy;
  before(async () => {
    proxy = await MongodbProxy.start(url);
  });
  after(() => proxy.stop());
  async function setSilent(silent: boolean): Promise<void> {
    proxy.trouble = { silent };
  }
  async function newUrl(): Promise<string> {
    await dropDatabase(url);
    return proxy.urlOf(url);
  }
  const outage = { down: () => proxy.kill(), up: () => proxy.revive() };
  const pause = { down: () => setSilent(true), up: () => setSilent(false) };
  kit.describeContract(kit.storageOf(mongodb, { ...SURROUNDINGS, newUrl, outage, pause }));
});

describeWithReplicaSet("A MongoDB replica set", (set, newUrl) => {
  beforeEach(() => set().elect(0));
  const outage = {
    down: () => forEach((member) => set().crash(member)),
    up: () => forEach((member) => set().restart(member)).then(() => set().elect(1)),
  };
  const pause = {
    down: () => forEach((member) => set().blackHole(member)),
    up: () => forEach((member) => set().heal(member)).then(() => set().elect(1)),
  };
  kit.describeContract(kit.storageOf(mongodb, { ...SURROUNDINGS, newUrl, outage, pause }));
});

describeWithCluster("A sharded MongoDB cluster", (cluster, newUrl) => {
  const outage = {
    down: () => forEach((router) => cluster().routers[router]?.crash()),
    up: () => forEach((router) => cluster().routers[router]?.listen()),
  };
  const pause = {
    down: () => forEach((shard) => cluster().blackHole(shard)),
    up: () => forEach((shard) => cluster().heal(shard)),
  };
  // Sharding a database creates it.
  const surroundings = { ...SURROUNDINGS, newUrl: () => shard(newUrl()), missingUrl: newUrl, outage, pause };
  kit.describeContract(kit.storageOf(mongodb, surroundings));
  // A sharded cluster refused none of the commands.
  afterEach(() => expect(cluster().stats.refused).to.equal(0));
});
