import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import type { NewPet } from "../../../src/domain/pet.js";
import { describeWithMongodb } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMonitored } from "../../support/open-storages.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

describeWithMongodb("MongoDB commands", (url) => {
  let storage: MongodbStorage;
  let commands: CommandStartedEvent[] = [];

  before(async () => {
    storage = await openMonitored(url, (event) => commands.push(event));
    // More than the 101 documents of a server's first answer by default.
    await Promise.all(Array.from({ length: 150 }, () => create()));
  });

  beforeEach(() => {
    commands = [];
  });

  after(() => storage.close());

  const names = () => commands.map(({ commandName }) => commandName);
  const create = (key?: string) =>
    storage.pets.create(PET, key ? { key, fingerprint: "fingerprint" } : undefined);

  it("are two inserts for a create with an idempotency key, and look claim and pet up only if the key was used before", async () => {
    await create("two");
    await create("two");
    expect(names()).to.deep.equal(["insert", "insert", "insert", "find", "insert", "find"]);
    expect(commands.map(({ command }) => command.insert ?? command.find)).to.deep.equal([
      "pets_keys",
      "pets",
      "pets_keys",
      "pets_keys",
      "pets",
      "pets",
    ]);
  });

  it("are one for a ping, which writes nothing", async () => {
    await storage.ping();
    expect(names()).to.deep.equal(["listCollections"]);
  });

  it("go to the primary, those of the set-up too, whatever the URL says", async () => {
    const other = await openMonitored(`${url}?readPreference=secondary`, (event) => commands.push(event));
    await other.close();
    expect(names()).to.include.members(["listCollections", "listIndexes", "find"]);
    for (const { command } of commands) expect(command.$readPreference).to.equal(undefined);
  });

  it("are one find for a get", async () => {
    await storage.pets.get(1n);
    expect(names()).to.deep.equal(["find"]);
    expect(commands[0]?.command.filter).to.deep.equal({ _id: 1n });
  });

  for (const status of [undefined, "sold"] as const) {
    it(`are one find for a list with ${status ?? "any"} status, as a range of an index`, async () => {
      await storage.pets.list({ status, after: 3n, limit: 101 });
      expect(names()).to.deep.equal(["find"]);
      const { filter, sort, skip } = commands[0]?.command ?? {};
      expect(filter).to.deep.equal({ ...(status && { status }), _id: { $gt: 3n } });
      expect(sort).to.deep.equal(new Map([["_id", 1]]));
      expect(skip).to.equal(undefined);
    });
  }

  it("reserve ids once in a thousand creates", async () => {
    for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 50 }, () => create()));
    const sent = names();
    expect(sent.filter((name) => name === "insert")).to.have.length(1000);
    expect(sent.filter((name) => name === "findAndModify")).to.have.length(1);
    expect(sent).to.have.length(1001);
  });

  it("write by majority and journal, and read from the primary what a majority has", async () => {
    await create();
    await storage.pets.get(1n);
    expect(commands[0]?.command.writeConcern).to.deep.equal({ w: "majority", j: true, wtimeout: 2000 });
    expect(commands[1]?.command.readConcern).to.deep.equal({ level: "majority" });
    expect(commands[1]?.command.$readPreference).to.equal(undefined);
  });
});
