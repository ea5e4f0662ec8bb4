import { pino } from "pino";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { itServesOver } from "./every-storage.js";

describeWithMongodb("The service on MongoDB", (url) => {
  async function make() {
    const proxy = await MongodbProxy.start(url);
    return {
      open: () => MongodbPetRepository.open(proxy.urlOf(url), pino({ level: "silent" })),
      async takeAway() {
        await proxy.kill();
        return () => proxy.revive();
      },
      async remove() {
        await proxy.stop();
        await dropDatabase(url);
      },
    };
  }
  itServesOver(make, { goesAway: true });
});
