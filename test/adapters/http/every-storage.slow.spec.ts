import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { openMongodb } from "../../support/open-storages.js";
import { itServesOver } from "./every-storage.js";

describeWithMongodb("The service on MongoDB", (url) => {
  async function make() {
    const proxy = await MongodbProxy.start(url);
    return {
      open: () => openMongodb(proxy.urlOf(url)),
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
  itServesOver(make, true);
});
