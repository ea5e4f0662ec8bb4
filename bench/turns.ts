import autocannon from "autocannon";
import { OPERATIONS, type Operation } from "./operations.js";
import { RunningServer, type ServerKind } from "./server.js";
import { median } from "./statistics.js";

const CONNECTIONS = 64;

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

interface Plan {
  /** How often each server is started anew: V8 compiles the same code somewhat differently each time. */
  readonly starts: number;
  /** How often each server has its turn after a start. */
  readonly rounds: number;
  /** How many requests a turn has. */
  readonly requests: number;
}

/** The plan of a comparison that goes onto the page of results. */
export const THOROUGH: Plan = { starts: 3, rounds: 3, requests: 12_000 };

/** By operation, for each server in order, its result after each start. */
export type Results = ReadonlyMap<string, readonly (readonly Turn[])[]>;

/**
 * Starts the servers side by side and lets them take turns, A B C A B C …, so that other work of the machine disturbs all
 * alike. The result of a start is the median of its turns; the first turn warms up, and does not count.
 */
export async function compare(kinds: readonly ServerKind[], plan: Plan): Promise<Results> {
  const results = new Map(OPERATIONS.map(({ name }) => [name, kinds.map((): Turn[] => [])]));
  for (let start = 0; start < plan.starts; start++) {
    const servers: RunningServer[] = [];
    try {
      for (const kind of kinds) servers.push(await RunningServer.start(kind));
      for (const server of servers) await server.prepare();
      for (const operation of OPERATIONS) {
        const turns = await takeTurns(servers, operation, plan);
        for (const [index, own] of turns.entries()) results.get(operation.name)?.[index]?.push(middle(own));
      }
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return results;
}

async function takeTurns(
  servers: readonly RunningServer[],
  operation: Operation,
  plan: Plan,
): Promise<Turn[][]> {
  const turns: Turn[][] = servers.map(() => []);
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const turn = await takeTurn(server, operation, plan.requests);
      if (round > 0) turns[index]?.push(turn);
    }
  }
  return turns;
}

/** @throws Error if an answer's status is not the operation's, or one does not come. */
async function takeTurn(
  server: RunningServer,
  { name, requests, status }: Operation,
  amount: number,
): Promise<Turn> {
  const before = await server.usage();
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    amount,
    // Autocannon looks for the end only at each sample.
    sampleInt: 10,
    requests: requests.map((request) => ({ ...request })),
  });
  const after = await server.usage();
  if (result.statusCodeStats?.[`${status}`]?.count !== amount) {
    const answers = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${server.kind.name}, ${name}: ${answers} and ${result.errors} errors, instead of ${amount} answers ${status}`,
    );
  }
  return {
    cpu: (after.cpu - before.cpu) / amount,
    rate: amount / result.duration,
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
