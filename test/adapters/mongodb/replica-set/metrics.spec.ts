import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { pino } from "pino";
import { MongodbPetRepository } from "../../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { describeWithReplicaSet } from "../../../support/replica-set.js";

describeWithReplicaSet("Readings of MongoDB while connections are reset", (lend) => {
  it("count no connection that is gone, and none as in use that nobody uses", async function () {
    this.timeout(60_000);
    await lend(async (set, url) => {
      set.elect(0);
      const repository = await MongodbPetRepository.open(`${url}&maxPoolSize=20`, pino({ level: "silent" }));
      const read = (name: string) =>
        repository.readings.find((reading) => reading.name === `petstore_mongodb_${name}`)?.read() as number;
      const until = performance.now() + 4000;
      const work = async () => {
        while (performance.now() < until) {
          await repository.get(1n).catch(() => undefined);
          await sleep(Math.random() * 10);
        }
      };
      const working = Promise.all(Array.from({ length: 40 }, work));
      while (performance.now() < until) {
        await sleep(50 + Math.random() * 100);
        set.flap();
      }
      await working;
      await sleep(1000);
      expect(read("connections")).to.be.within(0, 20);
      expect(read("connections_in_use")).to.equal(0);
      await repository.close();
      expect(read("connections")).to.equal(0);
    });
  });
});
