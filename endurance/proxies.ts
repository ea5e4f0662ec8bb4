import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { ReplicaSet } from "../test/support/replica-set.js";
import type { Cluster } from "../test/support/sharded-cluster.js";
import { AWAY, type Fault, lasting, type StorageFaults } from "./faults.js";
import type { Random } from "./random.js";

/** The descriptors of a process are bound; a pool of 100 for each member would go beyond that. */
const POOL = "maxPoolSize=20";

interface Library {
  readonly ReplicaSet?: { open(url: string): Promise<ReplicaSet> };
  readonly Cluster?: { open(url: string): Promise<Cluster> };
}

/** A storage behind proxies, and the faults of these. */
interface Proxied extends StorageFaults {
  readonly url: string;
}

/**
 * Opens proxies in front of a MongoDB server, which make a replica set or a sharded cluster of it.
 *
 * @param path of `replica-set.mjs` or `sharded-cluster.mjs`
 * @param url of the server, and of a database that nobody else uses
 */
export async function openProxies(path: string, url: string): Promise<Proxied> {
  const library: Library = await import(resolve(path));
  const database = new URL(url).pathname.slice(1);
  if (library.ReplicaSet) return replicaSet(await library.ReplicaSet.open(url), database);
  if (library.Cluster) return shardedCluster(await library.Cluster.open(url), database);
  throw new Error(`${path} has neither a ReplicaSet nor a Cluster`);
}

const fault = (name: string, play: Fault["play"]): Fault => ({ name, excuse: AWAY, play });

function replicaSet(set: ReplicaSet, database: string): Proxied {
  set.elect(0);
  const electAnother = (old: number) => set.elect(set.others(old)[0] as number);
  const url = set.url(database);
  return {
    url: `${url}${url.includes("?") ? "&" : "?"}${POOL}`,
    env: {},
    faults: [
      fault("the primary steps down", async (random) => {
        const old = set.stepDown();
        await sleep(lasting(random));
        electAnother(old);
      }),
      fault("the primary crashes", async (random) => {
        const old = set.crash();
        await sleep(lasting(random));
        electAnother(old);
        await set.restart(old);
      }),
      fault("the primary falls silent", async (random) => {
        const old = set.blackHole();
        await sleep(lasting(random));
        electAnother(old);
        set.heal(old);
      }),
      fault("the primary does not know of the next one", async (random) => {
        const old = set.isolate();
        await sleep(random.between(100, 1000));
        electAnother(old);
        await sleep(lasting(random));
        set.rejoin(old);
      }),
      fault("no majority is reached, and what it lacked is rolled back", async (random) => {
        set.lag();
        await sleep(lasting(random));
        const old = set.crash();
        await set.rollBack();
        electAnother(old);
        await set.restart(old);
      }),
    ],
  };
}

async function shardedCluster(cluster: Cluster, database: string): Promise<Proxied> {
  const routers = cluster.routers.map(({ address }) => address).join(",");
  const url = `mongodb://${routers}/${database}?${POOL}`;
  const client = new MongoClient(url);
  for (const collection of ["pets", "pets_keys"]) {
    const shardCollection = `${database}.${collection}`;
    await client.db("admin").command({ shardCollection, key: { _id: "hashed" } });
  }
  await client.close();
  const onShard = (begin: (shard: number) => void) => async (random: Random) => {
    const shard = random.between(0, 2);
    begin(shard);
    await sleep(lasting(random));
    cluster.heal(shard);
  };
  return {
    url,
    env: {},
    faults: [
      fault(
        "a shard has no primary",
        onShard((shard) => cluster.lose(shard)),
      ),
      fault(
        "a shard is silent",
        onShard((shard) => cluster.blackHole(shard)),
      ),
      fault("a router crashes", async (random) => {
        const router = random.pick(cluster.routers);
        router.crash();
        await sleep(lasting(random));
        await router.listen();
      }),
    ],
  };
}
