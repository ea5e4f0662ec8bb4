import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

describeWithMongodb("MongodbPetRepository", (url) => {
  const reopen = () => MongodbPetRepository.open(url, pino({ level: "silent" }));
  describeContract({
    async open() {
      await dropDatabase(url);
      return reopen();
    },
    reopen,
    shared: true,
    archive: true,
    deletePet: (id) =>
      withDatabase(url, async (database) => {
        await database.collection<{ _id: bigint }>("pets").deleteOne({ _id: id });
      }),
  });
});
