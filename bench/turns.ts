import autocannon from "autocannon";
import { OPERATIONS, type Operation } from "./operations.js";
import { RunningServer, type ServerKind } from "./server.js";
import { median } from "./statistics.js";

const CONNECTIONS = 64;

/** How many requests a turn has. */
const AMOUNT = 12_000;

/** The result of one server in one turn. */
export interface Turn {
  /** Processor time of the server per request, in microseconds. */
  readonly cpu: number;
  /** Requests per second of the clock. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

interface Plan<Figures> {
  /** How often each server is started anew: V8 compiles the same code somewhat differently each time. */
  readonly starts: number;
  /** How many turns of each server after a start warm it up, and do not count. */
  readonly warmUp: number;
  /** How often each server has its turn then. */
  readonly turns: number;
  readonly takeTurn: (server: RunningServer, operation: Operation) => Promise<Figures>;
}

/** The plan of a comparison that goes onto the page of results. */
const THOROUGH = { starts: 3, warmUp: 1, turns: 3, takeTurn };

/** By operation, for each server in order, its result after each start. */
export type Results = ReadonlyMap<string, readonly (readonly Turn[])[]>;

/** Compares servers over sockets. The result of a start is the median of its turns. */
export async function compare(kinds: readonly ServerKind[]): Promise<Results> {
  const results = await measure(kinds, THOROUGH);
  return new Map([...results].map(([name, servers]) => [name, servers.map((starts) => starts.map(middle))]));
}

/**
 * Starts the servers side by side and lets them take turns, A B C A B C …, so that other work of the machine disturbs all
 * alike.
 *
 * @returns by operation, for each server in order, its turns after each start
 */
export async function measure<Figures>(
  kinds: readonly ServerKind[],
  { starts, warmUp, turns, takeTurn }: Plan<Figures>,
): Promise<Map<string, Figures[][][]>> {
  const results = new Map(OPERATIONS.map(({ name }) => [name, kinds.map((): Figures[][] => [])]));
  for (let start = 0; start < starts; start++) {
    const servers: RunningServer[] = [];
    try {
      for (const kind of kinds) servers.push(await RunningServer.start(kind));
      for (const server of servers) await server.prepare();
      for (const operation of OPERATIONS) {
        const own = servers.map((): Figures[] => []);
        for (let turn = 0; turn < warmUp + turns; turn++) {
          for (const [index, server] of servers.entries()) {
            const figures = await takeTurn(server, operation);
            if (turn >= warmUp) own[index]?.push(figures);
          }
        }
        for (const [index, one] of own.entries()) results.get(operation.name)?.[index]?.push(one);
      }
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return results;
}

/** @throws Error if an answer's status is not the operation's, or one does not come. */
async function takeTurn(server: RunningServer, { name, requests, status }: Operation): Promise<Turn> {
  const before = await server.usage();
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    amount: AMOUNT,
    // Autocannon looks for the end only at each sample.
    sampleInt: 10,
    requests: requests.map((request) => ({ ...request })),
  });
  const after = await server.usage();
  if (result.statusCodeStats?.[`${status}`]?.count !== AMOUNT) {
    const answers = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${server.kind.name}, ${name}: ${answers} and ${result.errors} errors, instead of ${AMOUNT} answers ${status}`,
    );
  }
  return {
    cpu: (after.cpu - before.cpu) / AMOUNT,
    rate: AMOUNT / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

function middle(turns: readonly Turn[]): Turn {
  return {
    cpu: median(turns.map(({ cpu }) => cpu)),
    rate: median(turns.map(({ rate }) => rate)),
    p50: median(turns.map(({ p50 }) => p50)),
    p99: median(turns.map(({ p99 }) => p99)),
  };
}
