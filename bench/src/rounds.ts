import { measure } from "./load.js";
import { OPERATIONS, type Operation, type Request, SEED } from "./operations.js";
import type { RunningServer } from "./servers.js";
import { quantile } from "./statistics.js";

/** The result of one server in one turn. */
export interface Turn {
  /** Requests per second. */
  readonly rate: number;
  /** Processor time of the server per request, in microseconds. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Plan {
  readonly connections: number;
  /** How often each server has its turn. */
  readonly rounds: number;
  /** How long a turn lasts, in milliseconds. */
  readonly duration: number;
}

/** Fills an empty server, and refuses one whose answers are not those of the contract. */
export async function prepare(server: RunningServer): Promise<void> {
  for (const request of SEED) await ask(server, request);
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    try {
      const answer = await ask(server, operation.requests[0] as Request);
      if (answer.status !== operation.status) throw new Error(`status ${answer.status}`);
      operation.check({ headers: answer.headers, body: await answer.json() });
    } catch (cause) {
      throw new Error(`${server.kind.name} does not answer "${operation.name}" as the contract says.`, {
        cause,
      });
    }
  }
}

async function ask({ port }: RunningServer, { path, ...rest }: Request): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}${path}`, rest);
}

/** Lets the servers take turns, A B C A B C …, after one turn each to warm up; answers the turns of each server. */
export async function interleave(
  servers: readonly RunningServer[],
  operation: Operation,
  { connections, rounds, duration }: Plan,
): Promise<Turn[][]> {
  const turns: Turn[][] = servers.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const turn = await takeTurn(server, operation, connections, duration);
      if (round > 0) turns[index]?.push(turn);
    }
  }
  return turns;
}

async function takeTurn(
  server: RunningServer,
  operation: Operation,
  connections: number,
  duration: number,
): Promise<Turn> {
  const before = await server.usage();
  const { requests, seconds, latencies } = await measure(operation, {
    port: server.port,
    connections,
    duration,
  });
  const after = await server.usage();
  return {
    rate: requests / seconds,
    cpu: (after.cpu - before.cpu) / requests,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}
