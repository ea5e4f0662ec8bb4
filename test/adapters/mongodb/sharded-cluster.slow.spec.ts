import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MongoClient } from "mongodb";
import type { NewPet } from "../../../src/domain/pet.js";
import { describeContract } from "../../../src/storage-kit/storage-contract.js";
import { openMongodb } from "../../support/open-storages.js";
import { CREATE, expectUnavailable, ServiceOnMongodb } from "../../support/service-on-mongodb.js";
import { describeWithCluster } from "../../support/sharded-cluster.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

describeWithCluster("MongodbPetRepository on a sharded cluster", (cluster, newDatabase) => {
  let url: string;
  const reopen = () => openMongodb(url);
  describeContract({
    async open() {
      url = await newDatabase();
      return reopen();
    },
    reopen,
    shared: true,
    archive: true,
    async deletePet(id) {
      const client = new MongoClient(url);
      await client.db().collection<{ _id: bigint }>("pets").deleteOne({ _id: id });
      await client.close();
    },
  });
  after(() => {
    expect(cluster().faults).to.deep.equal([]);
    expect(cluster().stats.refused).to.equal(0);
  });
});

describeWithCluster("The service on a sharded cluster", (cluster, newDatabase, throughRouter) => {
  const services: ServiceOnMongodb[] = [];

  async function start(url: string): Promise<ServiceOnMongodb> {
    const service = new ServiceOnMongodb();
    services.push(service);
    await service.start(url);
    return service;
  }
  afterEach(async () => {
    cluster().gate = undefined;
    for (const service of services.splice(0)) await service.close();
  });

  const create = ({ repository }: ServiceOnMongodb, key: string, name = "Rex") =>
    repository.create({ ...PET, name }, { key, fingerprint: name });
  const listAll = ({ repository }: ServiceOnMongodb) =>
    repository.list({ status: undefined, after: 0n, limit: 1000 });

  it("stores one pet for each key that races over two services", async () => {
    const url = await newDatabase();
    const both = [await start(throughRouter(url, 0)), await start(throughRouter(url, 1))];
    const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`);
    const creations = await Promise.all(
      keys.flatMap((key) => both.map(async (service) => [key, (await create(service, key)).pet.id] as const)),
    );
    expect(new Set(creations.map(String)).size).to.equal(keys.length);
    for (const service of both) expect(await listAll(service)).to.have.length(keys.length);
  });

  it("lets a repeat store the pet of a create that died between its two writes", async () => {
    const url = await newDatabase();
    const first = await start(url);
    const dies = new Promise<void>((resolve) => {
      cluster().gate = async ({ insert }) => {
        if (insert !== "pets") return;
        resolve();
        await new Promise(() => {});
      };
    });
    const refused = create(first, "key", "first").catch(({ code }) => code);
    await dies;
    cluster().gate = undefined;
    const second = await start(url);
    const { pet, earlierFingerprint } = await create(second, "key", "second");
    expect(pet.name).to.equal("first");
    expect(earlierFingerprint).to.equal("first");
    expect(await refused).to.equal("storage_unavailable");
    expect(await listAll(second)).to.deep.equal([pet]);
  });

  for (const fault of ["lose", "blackHole"] as const) {
    it(`serves the pets of other shards while one is away (${fault}), and all soon after it returns`, async () => {
      const service = await start(await newDatabase());
      const ids: bigint[] = [];
      for (let n = 0; n < 60; n++) ids.push((await service.repository.create(PET)).pet.id);
      // The shard that keeps what the probe reads.
      const away = cluster().owner(0n);
      const [kept, lost] = [true, false].map((isKept) =>
        ids.filter((id) => (cluster().owner(id) !== away) === isKept),
      ) as [bigint[], bigint[]];
      cluster()[fault](away);
      const outage = (async () => {
        const expected = { served: 0, asked: 0 };
        const end = performance.now() + 12_000;
        for (let n = 0; performance.now() < end; n++) {
          const { status } = await service.ask(`/v1/pets/${kept[n % kept.length]}`);
          expected.asked++;
          if (status === 200) expected.served++;
          await sleep(20);
        }
        return expected;
      })();
      for (let round = 0; round < 2; round++) {
        expectUnavailable(await service.ask("/v1/pets"));
        expectUnavailable(await service.ask(`/v1/pets/${lost[round]}`));
      }
      const { asked, served } = await outage;
      expect(served / asked, `${served} of ${asked}`).to.be.at.least(0.9);
      cluster().heal(away);
      await service.expectHealed();
      for (const id of ids) expect((await service.ask(`/v1/pets/${id}`)).status).to.equal(200);
      expect(JSON.parse((await service.ask("/v1/pets?limit=100")).text)).to.have.length.at.least(61);
      expect((await service.ask("/v1/pets", CREATE)).status).to.equal(201);
    });
  }

  it("stores a pet once whose answers are lost, and while a router crashes", async () => {
    const service = await start(await newDatabase());
    const ids = new Set<bigint>();
    for (const [n, command] of ["insert", "insert", "find", "insert"].entries()) {
      cluster().loss = { left: 1, commands: [command] };
      const work = create(service, `key ${n}`).catch(() => create(service, `key ${n}`));
      ids.add((await work).pet.id);
    }
    cluster().loss = undefined;
    // For good: this test is the last.
    cluster().routers[0]?.crash();
    for (let n = 4; n < 20; n++) {
      const attempt = () => create(service, `key ${n}`);
      ids.add((await attempt().catch(attempt)).pet.id);
    }
    expect(cluster().stats.lost).to.be.greaterThan(2);
    expect((await listAll(service)).map(({ id }) => id)).to.have.members([...ids]);
  });
});
