import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { openMongodb } from "../../support/open-storages.js";
import { describeWithCluster, shard } from "../../support/replica-set.js";
import { StorageLoad } from "../../support/storage-load.js";

const PET = { name: "Rex", categoryId: 7n, status: "available" } as const;

describeWithCluster("A sharded MongoDB cluster under load", (cluster, newUrl) => {
  for (const fault of ["lose", "blackHole"] as const) {
    it(`serves the pets of the other shards while one is down (${fault}), and all once it is up`, async () => {
      const { pets, ping, close } = await openMongodb(await shard(newUrl()));
      const created = await Promise.all(Array.from({ length: 60 }, () => pets.create(PET)));
      const ids = created.map(({ pet }) => pet.id);
      cluster()[fault](1);
      const list = () => codeOf(pets.list({ status: undefined, after: 0n, limit: 99 }));
      const codes = await Promise.all([list(), ...ids.map((id) => codeOf(pets.get(id))), ping()]);
      const refused = (isRefused: boolean) => (isRefused ? "storage_unavailable" : undefined);
      expect(codes).to.deep.equal([
        refused(true),
        ...ids.map((id) => refused(cluster().owner(id) === 1)),
        undefined,
      ]);
      cluster().heal(1);
      for (const id of ids) expect((await pets.get(id))?.id).to.equal(id);
      expect(await list()).to.equal(undefined);
      await close();
    });
  }

  it("loses and doubles nothing while answers are lost and a router crashes", async () => {
    const { pets, close } = await openMongodb(await shard(newUrl()));
    const load = new StorageLoad(pets);
    for (let round = 0; round < 3; round++) {
      await load.acknowledgesMore();
      cluster().loss = { left: 5, commands: ["insert", "find", "findAndModify"] };
      await sleep(300);
      const router = cluster().routers[round % 2];
      router?.crash();
      await sleep(300);
      await router?.listen();
    }
    await load.acknowledgesMore();
    await load.verify();
    expect(cluster().stats.lost).to.be.greaterThan(5);
    await close();
  });
});
