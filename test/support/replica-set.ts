import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { describeIf } from "./left-out.js";
import { withDatabase } from "./mongodb-server.js";

interface Proxies {
  /** Faults of the proxies themselves. */
  readonly faults: readonly string[];
  readonly stats: Readonly<Record<string, number>>;
  loss: { left: number; commands: string[]; then?: () => void } | undefined;
  url(database: string): string;
  heal(index: number): void;
  close(): void;
}

/** Three members in front of one database, which hold elections and refuse as those of MongoDB do; see `replica-set.mjs`. */
export interface ReplicaSet extends Proxies {
  /** Whether a crash ends the connections of monitors last. */
  monitorsLast: boolean;
  plant: "forget-retryable-writes" | undefined;
  member(index?: number): { readonly address: string; helloDelay: number };
  /** The other members. */
  others(index?: number): number[];
  busy(): Promise<void>;
  elect(index: number): void;
  /** This and the next, up to `isolate`, are faults of the primary; each returns its index. */
  stepDown(): number;
  crash(index?: number): number;
  shutDown(): Promise<number>;
  blackHole(index?: number): number;
  isolate(): number;
  flap(): void;
  restart(index: number): Promise<void>;
  rejoin(index: number): void;
  configure(hosts: number[]): void;
  /** Writes by majority fail with the code, 64 by default. */
  lag(code?: number): void;
  replicate(): void;
  rollBack(): Promise<void>;
  unconfirmed(id: bigint): boolean;
}

/** Two routers in front of three shards of one database; see `sharded-cluster.mjs`. */
export interface Cluster extends Proxies {
  readonly routers: readonly { crash(): void; listen(): Promise<void> }[];
  /** The shard that keeps a document. */
  owner(id: bigint): number;
  /** A shard has no primary; `blackHole`: answers nothing. */
  lose(shard: number): void;
  blackHole(shard: number): void;
}

const HOW_TO =
  "set PETSTORE_TEST_MONGODB_URL to a server for tests, and PETSTORE_TEST_MONGODB_REPLICA_SET to replica-set.mjs";

const { PETSTORE_TEST_MONGODB_URL: server = "", PETSTORE_TEST_MONGODB_REPLICA_SET: path = "" } = process.env;

type Suite<Kind> = (proxies: () => Kind, newUrl: () => string) => void;

/** Registers a suite whose tests each get a replica set of their own, without a primary at first. */
export function describeWithReplicaSet(title: string, suite: Suite<ReplicaSet>): void {
  describeWith(title, async () => (await import(path)).ReplicaSet.open(server), suite);
}

/** Registers a suite whose tests each get a sharded cluster of their own. */
export function describeWithCluster(title: string, suite: Suite<Cluster>): void {
  const module = join(dirname(path), "sharded-cluster.mjs");
  describeWith(title, async () => (await import(module)).Cluster.open(server), suite);
}

/** Shards the collections of an empty database as docs/mongodb.md says. */
export async function shard(url: string): Promise<string> {
  await withDatabase(url, async ({ client, databaseName }) => {
    for (const name of ["pets", "pets_keys"]) {
      const shardCollection = `${databaseName}.${name}`;
      await client.db("admin").command({ shardCollection, key: { _id: "hashed" } });
    }
  });
  return url;
}

function describeWith<Kind extends Proxies>(
  title: string,
  open: () => Promise<Kind>,
  suite: Suite<Kind>,
): void {
  const prefix = `petstore_test_proxies_${process.pid}`;
  let proxies: Kind;
  let count = 0;

  describeIf(Boolean(server && path), title, "MongoDB's elections and shards", HOW_TO, () => {
    // Proxies also connect for clients that have disconnected, and then stay connected.
    before(() => subscribe("net.client.socket", unref));
    after(() => unsubscribe("net.client.socket", unref));
    beforeEach(async () => {
      proxies = await open();
    });
    afterEach(async () => {
      proxies.close();
      // Shards have databases with longer names.
      await withDatabase(server, async ({ client }) => {
        const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
        for (const { name } of databases)
          if (name.includes(`${prefix}_`)) await client.db(name).dropDatabase();
      });
      expect(proxies.faults).to.deep.equal([]);
    });
    suite(
      () => proxies,
      () => proxies.url(`${prefix}_${++count}`),
    );
  });
}

function unref(message: unknown): void {
  (message as { socket: Socket }).socket.unref();
}
