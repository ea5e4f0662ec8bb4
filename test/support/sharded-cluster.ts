import { dirname, join } from "node:path";
import { MongoClient } from "mongodb";
import { describeIf } from "./left-out.js";
import { closeProxies } from "./replica-set.js";

/** A sharded cluster of proxies in front of one database: the members of `sharded-cluster.mjs` that the tests use. */
export interface Cluster {
  readonly routers: readonly { readonly address: string; crash(): void; listen(): Promise<void> }[];
  /** Commands that a router has refused. */
  readonly stats: { readonly refused: number; readonly lost: number };
  readonly faults: readonly string[];
  /** Called with a command before a shard gets it, which waits for it. */
  gate: ((command: Record<string, unknown>, shard: number) => Promise<void>) | undefined;
  /** Answers that never arrive, though the shard carries the commands out. */
  loss: { left: number; commands: string[] } | undefined;
  /** The shard that keeps a document. */
  owner(id: bigint | string): number;
  /** A shard has no primary; `blackHole`: answers nothing. */
  lose(shard: number): void;
  blackHole(shard: number): void;
  heal(shard: number): void;
  close(): void;
}

const HOW_TO =
  "set PETSTORE_TEST_MONGODB_URL to a server for tests, and PETSTORE_TEST_MONGODB_REPLICA_SET to replica-set.mjs, beside sharded-cluster.mjs";

/** Gives the URL of a new database, whose collections are sharded, through all routers. */
type NewDatabase = () => Promise<string>;

/** Registers a suite that needs a sharded cluster. Without one it leaves the suite out, or in CI fails. */
export function describeWithCluster(
  title: string,
  suite: (
    cluster: () => Cluster,
    newDatabase: NewDatabase,
    throughRouter: (url: string, n: number) => string,
  ) => void,
): void {
  const { PETSTORE_TEST_MONGODB_URL: server = "", PETSTORE_TEST_MONGODB_REPLICA_SET: path = "" } =
    process.env;
  describeIf(Boolean(server && path), title, "MongoDB's shards", HOW_TO, () => {
    let cluster: Cluster;
    const names: string[] = [];
    before(async () => {
      const { Cluster } = await import(join(dirname(path), "sharded-cluster.mjs"));
      cluster = await Cluster.open(server);
    });
    after(async () => {
      cluster.close();
      const client = new MongoClient(server);
      for (const name of names)
        for (const shard of [0, 1, 2]) await client.db(`${name}_shard${shard}`).dropDatabase();
      await client.close();
    });
    closeProxies(path);
    // Each connection of a router opens one to the server behind for each shard.
    const through = (routers: Cluster["routers"], name: string) =>
      `mongodb://${routers.map(({ address }) => address).join(",")}/${name}?maxPoolSize=40`;
    const nameOf = (url: string) => new URL(url.replace(/,[^/]*/, "")).pathname.slice(1);
    async function newDatabase(): Promise<string> {
      const name = `petstore_test_sharded_${process.pid}_${names.length}`;
      names.push(name);
      const url = through(cluster.routers, name);
      const client = new MongoClient(url);
      for (const collection of ["pets", "pets_keys"]) {
        const shardCollection = `${name}.${collection}`;
        await client.db("admin").command({ shardCollection, key: { _id: "hashed" } });
      }
      await client.close();
      return url;
    }
    suite(
      () => cluster,
      newDatabase,
      (url, n) => through(cluster.routers.slice(n, n + 1), nameOf(url)),
    );
  });
}
