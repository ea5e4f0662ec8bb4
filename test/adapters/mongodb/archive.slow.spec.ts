import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import { type ArchivedPet, isPetConflict } from "../../../src/application/ports/pet-archive.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb, openMonitored } from "../../support/open-storages.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

function archived(...ids: number[]): ArchivedPet[] {
  return ids.map((id) => ({
    pet: { ...PET, id: BigInt(id) },
    record: id % 2 ? { key: `key ${id}`, fingerprint: `fingerprint ${id}` } : undefined,
  }));
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

describeWithMongodb("MongoDB archive", (url) => {
  let proxy: MongodbProxy;
  let archive: MongodbStorage;
  let commands: CommandStartedEvent[] = [];

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    archive = await openMonitored(proxy.urlOf(url), (event) => commands.push(event));
    commands = [];
  });

  afterEach(async () => {
    await archive.close();
    await proxy.stop();
  });

  const names = () => commands.map(({ commandName }) => commandName);
  const readAll = () => archive.archive.readPets({ after: 0n, limit: 1000 });

  it("stores a batch by three commands, and reads it by one, once the ids are raised", async () => {
    await archive.archive.raiseIds(2000n);
    commands = [];
    await archive.archive.storePets(archived(...numbers(1, 1000)));
    await archive.archive.storePets(archived(...numbers(1001, 1000)));
    await archive.archive.readPets({ after: 500n, limit: 1000 });
    const batch = ["find", "insert", "insert"];
    expect(names()).to.deep.equal([...batch, ...batch, "find"]);
    expect(commands[1]?.command.writeConcern).to.include({ w: "majority", j: true });
  });

  it("reads the stored pets by one more command if a batch is sent again", async () => {
    await archive.archive.storePets(archived(...numbers(1, 500)));
    commands = [];
    await archive.archive.storePets(archived(...numbers(1, 1000)));
    const raised = ["find", "insert", "update"];
    expect(names()).to.deep.equal([...raised, "find", "insert", "insert", "find"]);
    expect(await readAll()).to.deep.equal(archived(...numbers(1, 1000)));
  });

  it("stores a batch once that is sent again because the answer to it was lost", async () => {
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    const code = await archive.archive.storePets(archived(...numbers(1, 50))).catch((error) => error.code);
    expect(code).to.equal("storage_unavailable");
    expect(proxy.cuts).to.equal(1);
    await archive.archive.storePets(archived(...numbers(1, 50)));
    expect(await readAll()).to.deep.equal(archived(...numbers(1, 50)));
  });

  /** Claims the key of pet 11 as a create that dies then. */
  const claim = () =>
    withDatabase(url, (database) =>
      database.collection<{ _id: string }>("pets_keys").insertOne({
        _id: "key 11",
        fingerprint: "of a create that died",
        pet: { ...PET, _id: 5n },
      } as never),
    );

  it("lets a claim give way whose pet was never stored, but only to one pet", async () => {
    await claim();
    const [one] = archived(11) as [ArchivedPet];
    const twice = [one, { ...one, pet: { ...one.pet, id: 12n } }];
    const refused = await archive.archive.storePets(twice).catch((error) => error);
    expect(isPetConflict(refused)).to.equal(true);
    expect(await readAll()).to.deep.equal([]);
  });

  it("lets a claim give way whose pet was never stored, and recognises the keys of stored pets from then on", async () => {
    await claim();
    const [one] = archived(11) as [ArchivedPet];
    await archive.archive.storePets([one]);
    const { pet, earlierFingerprint } = await archive.pets.create(PET, one.record);
    expect(pet).to.deep.equal(one.pet);
    expect(earlierFingerprint).to.equal(one.record?.fingerprint);
  });

  it("knows ids that another program stored, and blocks that another process reserved", async () => {
    const other = await openMongodb(url);
    await other.pets.create(PET);
    await archive.pets.create(PET);
    await other.close();
    expect(await archive.archive.highestId()).to.equal(2000n);
    await withDatabase(url, (database) =>
      database.collection<{ _id: bigint }>("pets").insertOne({ ...PET, _id: 9000n }),
    );
    expect(await archive.archive.highestId()).to.equal(9000n);
  });

  it("names a malformed document that is in the way, and the remedy", async () => {
    await withDatabase(url, (database) =>
      database.collection("pets").insertOne({ _id: 1n as never }, { bypassDocumentValidation: true }),
    );
    const error = await archive.archive.storePets(archived(1)).catch((error) => error);
    expect(error.code).to.equal(undefined);
    const told = /^A document of pets is malformed: give _id 1 the members .*, or remove it$/;
    expect(error.message).to.match(told);
  });
});
