import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { petRepositoryContract } from "../../contracts/pet-repository.contract.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";

describeWithMongodb("MongodbPetRepository", (url) => {
  const reopen = () => MongodbPetRepository.open(url, pino({ level: "silent" }));
  petRepositoryContract({
    async open() {
      await dropDatabase(url);
      return reopen();
    },
    reopen,
  });
});
