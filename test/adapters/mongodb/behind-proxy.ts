import type { StorageContext } from "../../../src/application/storage-adapter.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

interface Surroundings {
  /** Reaches the database without the proxy. */
  readonly url: string;
  proxy(): MongodbProxy;
  /** Opens a storage behind the proxy, which is closed after the test. */
  open(options?: string, context?: Partial<StorageContext>): Promise<MongodbStorage>;
}

/** Registers a suite whose tests each get an empty database and a proxy in front of it. */
export function describeBehindProxy(title: string, suite: (surroundings: Surroundings) => void): void {
  describeWithMongodb(title, (url) => {
    let proxy: MongodbProxy;
    const opened: MongodbStorage[] = [];

    beforeEach(async () => {
      await dropDatabase(url);
      proxy = await MongodbProxy.start(url);
    });
    afterEach(async () => {
      for (const storage of opened.splice(0)) await storage.close();
      await proxy.stop();
    });
    suite({
      url,
      proxy: () => proxy,
      async open(options = "", context = {}) {
        const storage = await openMongodb(`${proxy.urlOf(url)}${options}`, context);
        opened.push(storage);
        return storage;
      },
    });
  });
}
