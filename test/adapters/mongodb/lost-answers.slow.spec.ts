import { expect } from "chai";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };
const RECORD = { key: "key", fingerprint: "fingerprint" };

// On a replica set the driver repeats such commands: see `replica-set/elections.slow.spec.ts`.
describeWithMongodb("A repository that loses answers of a single MongoDB", (url) => {
  let proxy: MongodbProxy;
  let repository: MongodbPetRepository;

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    repository = await MongodbPetRepository.open(proxy.urlOf(url), pino({ level: "silent" }));
    await repository.create({ ...PET, name: "first" });
  });

  afterEach(async () => {
    await repository.close();
    await proxy.stop();
  });

  const codeOf = (creating: Promise<unknown>) => creating.catch(({ code }) => code);
  const listOthers = async () =>
    (await repository.list({ status: undefined, after: 0n, limit: 100 })).slice(1);

  it("stores a pet once whose create is repeated under its key", async () => {
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    expect(await codeOf(repository.create(PET, RECORD))).to.equal("storage_unavailable");
    expect(proxy.cuts).to.equal(1);
    const { pet, replayed } = await repository.create(PET, RECORD);
    expect(replayed).to.equal(RECORD.fingerprint);
    expect(await listOthers()).to.deep.equal([pet]);
  });

  it("only leaves a gap if the answer to a reservation of ids is lost", async () => {
    const second = await MongodbPetRepository.open(proxy.urlOf(url), pino({ level: "silent" }));
    proxy.trouble = { cutBeforeAnswerTo: "findAndModify" };
    expect(await codeOf(second.create(PET))).to.equal("storage_unavailable");
    expect(proxy.cuts).to.equal(1);
    expect((await second.create(PET)).pet.id).to.equal(2001n);
    await second.close();
  });
});
