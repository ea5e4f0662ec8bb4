import { expect } from "chai";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { idOfKey } from "../../../src/adapters/mongodb/pet-ids.js";
import { type ArchivedPet, isPetConflict } from "../../../src/application/ports/pet-archive.js";
import { eventually } from "../../support/eventually.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

function archived(...ids: number[]): ArchivedPet[] {
  return ids.map((id) => ({
    pet: { ...PET, id: BigInt(id) },
    record: id % 2 ? { key: `key ${id}`, fingerprint: `fingerprint ${id}` } : undefined,
  }));
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

describeWithMongodb("MongoDB archive", (url) => {
  const log = pino({ level: "silent" });
  let proxy: MongodbProxy;
  let archive: MongodbPetRepository;
  let commands: CommandStartedEvent[] = [];

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    const { connect } = MongoClient.prototype;
    MongoClient.prototype.connect = function () {
      this.on("commandStarted", (event) => commands.push(event));
      return connect.call(this);
    };
    archive = await MongodbPetRepository.open(`${proxy.urlOf(url)}&monitorCommands=true`, log);
    MongoClient.prototype.connect = connect;
    commands = [];
  });

  afterEach(async () => {
    await archive.close();
    await proxy.stop();
  });

  const names = () => commands.map(({ commandName }) => commandName);
  const readAll = () => archive.readPets({ after: 0n, limit: 1000 });

  it("stores and reads a batch by one command each, once the ids are raised", async () => {
    await archive.raiseIds(2000n);
    commands = [];
    await archive.storePets(archived(...numbers(1, 1000)));
    await archive.storePets(archived(...numbers(1001, 1000)));
    await archive.readPets({ after: 500n, limit: 1000 });
    expect(names()).to.deep.equal(["insert", "insert", "find"]);
    expect(commands[0]?.command.writeConcern).to.include({ w: "majority", j: true });
  });

  it("reads the stored pets by one more command if a batch is sent again", async () => {
    await archive.storePets(archived(...numbers(1, 500)));
    commands = [];
    await archive.storePets(archived(...numbers(1, 1000)));
    expect(names()).to.deep.equal(["update", "insert", "find"]);
    expect(await readAll()).to.deep.equal(archived(...numbers(1, 1000)));
  });

  it("stores a batch once if the answer to it is lost", async () => {
    proxy.trouble = { cutBeforeAnswerTo: "insert" };
    await archive.storePets(archived(...numbers(1, 50)));
    expect(proxy.cuts).to.equal(1);
    expect(await readAll()).to.deep.equal(archived(...numbers(1, 50)));
  });

  it("rejects with storage_unavailable while the database is away, and takes the batch afterwards", async function () {
    this.timeout(30_000);
    await proxy.kill();
    const code = await archive.storePets(archived(1, 2)).catch((error) => error.code);
    expect(code).to.equal("storage_unavailable");
    await proxy.revive();
    const stored = () =>
      archive.storePets(archived(1, 2)).then(
        () => true,
        () => undefined,
      );
    await eventually(stored);
    expect(await readAll()).to.deep.equal(archived(1, 2));
  });

  it("does not count a batch as stored that never reached the database", async function () {
    this.timeout(30_000);
    await archive.raiseIds(2000n);
    proxy.trouble = { reset: true };
    const code = await archive.storePets(archived(1, 2)).catch((error) => error.code);
    expect(code).to.equal("storage_unavailable");
  });

  it("gives no id up to the raised one, even if the counter is set back", async () => {
    await archive.raiseIds(5000n);
    await withDatabase(url, (database) =>
      database.collection("counters").updateOne({ _id: "pets" as never }, { $set: { next: 1n } }),
    );
    const other = await MongodbPetRepository.open(url, log);
    const { pet } = await other.create(PET);
    await other.close();
    expect(pet.id).to.equal(5001n);
    expect(await archive.highestId()).to.equal(6000n);
  });

  it("leaves the rest of its block unused if ids are raised beyond it, and otherwise goes on in it", async () => {
    expect((await archive.create(PET)).pet.id).to.equal(1n);
    await archive.raiseIds(10n);
    expect((await archive.create(PET)).pet.id).to.equal(11n);
    await archive.raiseIds(3n);
    expect((await archive.create(PET)).pet.id).to.equal(12n);
    await archive.raiseIds(4000n);
    expect((await archive.create(PET)).pet.id).to.equal(4001n);
  });

  it("knows ids that another program stored, and blocks that another process reserved", async () => {
    const other = await MongodbPetRepository.open(url, log);
    await other.create(PET);
    await archive.create(PET);
    await other.close();
    expect(await archive.highestId()).to.equal(2000n);
    await withDatabase(url, (database) =>
      database.collection<{ _id: bigint }>("pets").insertOne({ ...PET, _id: 9000n }),
    );
    expect(await archive.highestId()).to.equal(9000n);
  });

  it("names a malformed document that is in the way, and the remedy", async () => {
    await withDatabase(url, (database) =>
      database.collection("pets").insertOne({ _id: 1n as never }, { bypassDocumentValidation: true }),
    );
    const error = await archive.storePets(archived(1)).catch((error) => error);
    expect(error.code).to.equal(undefined);
    expect(error.message).to.match(
      /^A document of pets is malformed: give _id 1 the members .*, or remove it$/,
    );
  });

  it("names the first pet that is in conflict", async () => {
    await archive.storePets(archived(...numbers(1, 10)));
    const other = archived(...numbers(1, 20)).map((one, n) =>
      n === 4 || n === 6 ? { ...one, pet: { ...one.pet, name: "other" } } : one,
    );
    const error = await archive.storePets(other).catch((error) => error);
    expect(isPetConflict(error)).to.equal(true);
    expect(error.id).to.equal(5n);
  });

  it("refuses a record that a sharded collection could not find again, and takes a record that it could", async () => {
    const sharded = await MongodbProxy.start(url);
    sharded.trouble = { answers: { createIndexes: { ok: 0, code: 67, errmsg: "sharded" } } };
    await withDatabase(url, async (database) => {
      await database.collection("pets").drop();
      await database.collection("pets").createIndex({ status: 1, _id: 1 }, { name: "pets_by_status" });
    });
    const target = await MongodbPetRepository.open(sharded.urlOf(url), log);
    try {
      const error = await target.storePets(archived(1)).catch((error) => error);
      expect(error.message).to.match(/^pets is sharded, .* copy into a collection that is not sharded\.$/);
      const record = { key: "key", fingerprint: "fingerprint" };
      await target.storePets([...archived(2), { pet: { ...PET, id: idOfKey("key", 0) }, record }]);
      expect((await target.create(PET, record)).replayed).to.equal("fingerprint");
      expect(await target.highestId()).to.equal(2n);
    } finally {
      await target.close();
      await sharded.stop();
    }
  });
});
