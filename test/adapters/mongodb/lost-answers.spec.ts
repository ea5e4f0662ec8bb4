import { expect } from "chai";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { eventually } from "../../support/eventually.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };
const RECORD = { key: "key", fingerprint: "fingerprint" };

describeWithMongodb("A repository that loses answers of MongoDB", (url) => {
  const log = pino({ level: "silent" });
  let proxy: MongodbProxy;
  let repository: MongodbPetRepository;

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    repository = await MongodbPetRepository.open(proxy.urlOf(url), log);
    await repository.create({ ...PET, name: "first" });
  });

  afterEach(async () => {
    await repository.close();
    await proxy.stop();
  });

  const listOthers = async () =>
    (await repository.list({ status: undefined, after: 0n, limit: 100 })).slice(1);

  for (const [how, record] of Object.entries({ "without a key": undefined, "with a key": RECORD })) {
    it(`stores one pet if the answer to its insert is lost, ${how}`, async () => {
      proxy.trouble = { cutBeforeAnswerTo: "insert" };
      const { pet, replayed } = await repository.create(PET, record);
      expect(proxy.cuts).to.equal(1);
      expect(replayed).to.equal(undefined);
      expect(pet).to.deep.equal({ ...PET, id: pet.id });
      expect(await listOthers()).to.deep.equal([pet]);
    });
  }

  it("stores each pet once if they are alike and an answer is lost", async () => {
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    const creations = await Promise.all(Array.from({ length: 20 }, () => repository.create(PET)));
    expect(proxy.cuts).to.equal(1);
    const ids = creations.map(({ pet }) => pet.id);
    expect(new Set(ids).size).to.equal(20);
    expect((await listOthers()).map(({ id }) => id)).to.have.members(ids);
  });

  it("answers a client's retry with the stored pet if the database went away before its answer", async function () {
    this.timeout(30_000);
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    const creating = repository.create(PET, RECORD).catch((error) => error.code);
    await eventually(() => proxy.cuts || undefined);
    await proxy.kill();
    expect(await creating).to.equal("storage_unavailable");
    await proxy.revive();
    const replay = await eventually(() => repository.create(PET, RECORD).catch(() => undefined));
    expect(replay).to.deep.equal({ pet: { ...PET, id: replay.pet.id }, replayed: RECORD.fingerprint });
    expect(await listOthers()).to.deep.equal([replay.pet]);
  });

  it("only leaves a gap if the answer to a reservation of ids is lost", async () => {
    const second = await MongodbPetRepository.open(proxy.urlOf(url), log);
    proxy.trouble = { cutBeforeAnswerTo: "findAndModify" };
    const { pet } = await second.create(PET);
    expect(proxy.cuts).to.equal(1);
    expect(pet.id).to.equal(2001n);
    await second.close();
  });
});
