import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";

describeWithMongodb("MongodbPetRepository", (url) => {
  const reopen = () => MongodbPetRepository.open(url, pino({ level: "silent" }));
  describeContract({
    async open() {
      await dropDatabase(url);
      return reopen();
    },
    reopen,
    shared: true,
  });
});
