import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET = { name: "Rex", categoryId: 2n ** 53n + 1n, status: "available" } as const;
const RECORD = { key: "key", fingerprint: "fingerprint" };

/** Opens a database through a proxy, for as long as a test uses it. */
async function withOptions<Result>(
  url: string,
  options: string,
  use: (storage: MongodbStorage, proxy: MongodbProxy) => Promise<Result>,
): Promise<Result> {
  const proxy = await MongodbProxy.start(url);
  const storage = await openMongodb(`${proxy.urlOf(url)}&${options}`);
  try {
    return await use(storage, proxy);
  } finally {
    proxy.trouble = {};
    await storage.close();
    await proxy.stop();
  }
}

describeWithMongodb("The URL of a MongoDB storage", (url) => {
  it("cannot weaken writes, reads and types", async () => {
    const weak =
      "w=0&journal=false&wtimeoutMS=1&readConcernLevel=local&readPreference=secondary&readPreferenceTags=dc:x" +
      "&useBigInt64=true&promoteLongs=true&promoteValues=false&raw=true";
    await withOptions(url, weak, async ({ pets, archive }, proxy) => {
      const { pet } = await pets.create(PET, RECORD);
      expect(await pets.get(pet.id)).to.deep.equal({ id: pet.id, ...PET });
      await archive.raiseIds(pet.id + 5000n);
      const sent = (name: string) => proxy.commands.filter((command) => name in command);
      const writes = ["insert", "update", "findAndModify"].flatMap(sent);
      expect(writes.length).to.be.at.least(4);
      for (const { writeConcern } of writes)
        expect(writeConcern).to.deep.equal({ w: "majority", j: true, wtimeout: 2000 });
      for (const { readConcern } of sent("find")) expect(readConcern).to.deep.equal({ level: "majority" });
      for (const { $readPreference } of proxy.commands)
        expect($readPreference?.mode ?? "primary").to.be.oneOf(["primary", "primaryPreferred"]);
    });
  });

  it("says the name of the program", async () => {
    for (const [options, name] of Object.entries({ "tls=false": "petstore", "appName=pets": "pets" }))
      await withOptions(url, options, async (_, { commands }) => {
        const names = commands.flatMap(({ client }) => client?.application.name ?? []);
        expect(new Set(names)).to.deep.equal(new Set([name]));
      });
  });

  it("says the size of the pool, and how long to wait for it", async () => {
    await withOptions(url, "maxPoolSize=1&waitQueueTimeoutMS=50", async ({ pets }, proxy) => {
      await pets.get(1n);
      proxy.trouble = { delay: 300 };
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(pets.get(1n))));
      expect(codes.sort()).to.deep.equal([...Array(4).fill("storage_unavailable"), undefined]);
    });
  });
});
