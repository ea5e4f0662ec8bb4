import { expect } from "chai";
import type { NewPet } from "../../../src/domain/pet.js";
import { codeOf } from "../../support/code-of.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };
const RECORD = { key: "key", fingerprint: "fingerprint" };

// On a replica set the driver repeats such commands: see `replica-set/elections.slow.spec.ts`.
describeWithMongodb("A storage that loses answers of a single MongoDB", (url) => {
  let proxy: MongodbProxy;
  let storage: MongodbStorage;

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    storage = await openMongodb(proxy.urlOf(url));
    await storage.pets.create({ ...PET, name: "first" });
  });

  afterEach(async () => {
    await storage.close();
    await proxy.stop();
  });

  const listOthers = async () =>
    (await storage.pets.list({ status: undefined, after: 0n, limit: 100 })).slice(1);

  it("stores a pet once whose create is repeated under its key", async () => {
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    expect(await codeOf(storage.pets.create(PET, RECORD))).to.equal("storage_unavailable");
    expect(proxy.cuts).to.equal(1);
    const { pet, earlierFingerprint } = await storage.pets.create(PET, RECORD);
    expect(earlierFingerprint).to.equal(RECORD.fingerprint);
    expect(await listOthers()).to.deep.equal([pet]);
  });
});
