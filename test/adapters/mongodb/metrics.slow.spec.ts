import { expect } from "chai";
import type { StorageReading } from "../../../src/storages/storage-adapter.js";
import { eventually } from "../../support/eventually.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

describeWithMongodb("MongoDB readings", (url) => {
  let storage: MongodbStorage;
  let readings: StorageReading[];
  const read = (name: string) =>
    readings.find((reading) => reading.name === `petstore_mongodb_${name}`)?.read() as number;

  beforeEach(async () => {
    await dropDatabase(url);
    readings = [];
    storage = await openMongodb(url, { addReading: (reading) => readings.push(reading) });
  });

  afterEach(() => storage.close());

  it("count the connections that are open and in use, and none after close", async () => {
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, read("connections_in_use"));
    }, 1);
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => storage.pets.get(1n)));
    }
    clearInterval(sampling);
    expect(most).to.be.within(1, 10);
    await eventually(() => read("connections_in_use") === 0 || undefined);
    expect(read("connections")).to.be.greaterThan(0);
    await storage.close();
    await eventually(() => read("connections") === 0 || undefined);
  });

  it("count a malformed document each time it is skipped", async () => {
    await withDatabase(url, (database) =>
      database.collection("pets").insertOne({ _id: 3n as never }, { bypassDocumentValidation: true }),
    );
    expect(read("malformed_documents_total")).to.equal(0);
    for (const skipped of [1, 2]) {
      expect(await storage.pets.list({ status: undefined, after: 0n, limit: 5 })).to.deep.equal([]);
      expect(read("malformed_documents_total")).to.equal(skipped);
    }
  });
});
