import { expect } from "chai";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { eventually } from "../../support/eventually.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

describeWithMongodb("MongoDB readings", (url) => {
  let repository: MongodbPetRepository;
  const read = (name: string) =>
    repository.readings.find((reading) => reading.name === `petstore_mongodb_${name}`)?.read() as number;

  beforeEach(async () => {
    await dropDatabase(url);
    repository = await MongodbPetRepository.open(url, pino({ level: "silent" }));
  });

  afterEach(() => repository.close());

  it("count the connections that are open and in use, and none after close", async () => {
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, read("connections_in_use"));
    }, 1);
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => repository.get(1n)));
    }
    clearInterval(sampling);
    expect(most).to.be.within(1, 10);
    await eventually(() => read("connections_in_use") === 0 || undefined);
    expect(read("connections")).to.be.greaterThan(0);
    await repository.close();
    await eventually(() => read("connections") === 0 || undefined);
  });

  it("count a malformed document each time it is skipped", async () => {
    await withDatabase(url, (database) =>
      database.collection("pets").insertOne({ _id: 3n as never }, { bypassDocumentValidation: true }),
    );
    expect(read("malformed_documents_total")).to.equal(0);
    for (const skipped of [1, 2]) {
      expect(await repository.list({ status: undefined, after: 0n, limit: 5 })).to.deep.equal([]);
      expect(read("malformed_documents_total")).to.equal(skipped);
    }
  });
});
