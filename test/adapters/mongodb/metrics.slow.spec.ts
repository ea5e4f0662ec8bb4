import { expect } from "chai";
import type { StorageReading } from "../../../src/storages/storage-adapter.js";
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
