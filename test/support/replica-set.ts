import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { describeIf } from "./left-out.js";

/**
 * A replica set of proxies in front of one database. Its three members answer, hold elections and refuse as
 * members of a real one do. These are the members of `replica-set.mjs` that the tests use; its README has the
 * rest.
 */
export interface ReplicaSet {
  /** The index of the primary; null while there is none. */
  readonly primary: number | null;
  readonly stats: Readonly<Record<string, number>>;
  /** Faults of the proxies themselves. */
  readonly faults: readonly string[];
  /** Whether a crash ends the connections of monitors last. */
  monitorsLast: boolean;
  /** Answers that never arrive, though the server carries the commands out. */
  loss: { left: number; commands: string[]; then?: () => void } | undefined;
  url(database: string): string;
  member(index?: number): { helloDelay: number };
  others(index?: number): number[];
  /** Settles once some writes are under way. */
  busy(writes?: number): Promise<void>;
  elect(index: number): Election;
  /** This and the next members, up to `isolate`, are faults of the primary; each returns its index. */
  stepDown(): number;
  crash(): number;
  shutDown(): Promise<number>;
  blackHole(): number;
  isolate(): number;
  flap(index?: number): void;
  restart(index: number): Promise<void>;
  heal(index: number): void;
  rejoin(index: number): void;
  configure(hosts: number[]): void;
  /** Replication stops: writes by majority fail with the code, 64 by default. */
  lag(code?: number): void;
  replicate(): void;
  rollBack(): Promise<void>;
  /** Whether a majority does not have a pet yet. */
  unconfirmed(id: bigint): boolean;
  close(): void;
}

export interface Election {
  /** The time by `performance.now()`. */
  readonly at: number;
}

interface Library {
  readonly ReplicaSet: { open(url: string): Promise<ReplicaSet> };
}

/** How long a proxy waits before it answers a driver's monitor, also if that is gone, in milliseconds. */
const MONITORED = 10_000;

/** A proxy's connection to the server behind: the one member of `wire.mjs` that the tests use. */
interface Backend {
  close(): void;
}

/**
 * Lets the proxies of these tests end the process, once they are closed: one also connects for a client that has gone, and
 * then never disconnects.
 *
 * @param path of `replica-set.mjs`, which is beside `wire.mjs`
 */
export function closeProxies(path: string): void {
  const backends: Promise<Backend>[] = [];
  before(async () => {
    const { Backend } = await import(join(dirname(path), "wire.mjs"));
    const connect: (to: object) => Promise<Backend> = Backend.connect;
    Backend.connect = (to: object) => {
      const one = connect.call(Backend, to);
      backends.push(one);
      return one;
    };
  });
  after(async () => {
    await sleep(MONITORED);
    for (const one of await Promise.allSettled(backends)) if (one.status === "fulfilled") one.value.close();
  });
}

const HOW_TO =
  "set PETSTORE_TEST_MONGODB_URL to a server for tests, and PETSTORE_TEST_MONGODB_REPLICA_SET to replica-set.mjs";

/** Lends a replica set without a primary, and the URL of an empty database of it. */
type UseReplicaSet = <Result>(use: (set: ReplicaSet, url: string) => Promise<Result>) => Promise<Result>;

/** Registers a suite that needs a replica set. Without one it leaves the suite out, or in CI fails. */
export function describeWithReplicaSet(title: string, suite: (lend: UseReplicaSet) => void): void {
  const { PETSTORE_TEST_MONGODB_URL: server, PETSTORE_TEST_MONGODB_REPLICA_SET: path } = process.env;
  describeIf(Boolean(server && path), title, "MongoDB's elections", HOW_TO, () => {
    suite((use) => lend(server as string, path as string, use));
    closeProxies(path as string);
  });
}

let databases = 0;

async function lend<Result>(
  server: string,
  path: string,
  use: (set: ReplicaSet, url: string) => Promise<Result>,
): Promise<Result> {
  const { ReplicaSet } = (await import(path)) as Library;
  const database = `petstore_test_replica_set_${process.pid}_${++databases}`;
  const set = await ReplicaSet.open(server);
  try {
    return await use(set, set.url(database));
  } finally {
    set.close();
    const client = new MongoClient(server, { serverSelectionTimeoutMS: 5000 });
    await client.db(database).dropDatabase();
    await client.close();
  }
}
