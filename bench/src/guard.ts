import { moveToLoadCore } from "./cores.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { interleave, prepare } from "./rounds.js";
import { FASTIFY, PETSTORE_LOG_OFF, RunningServer } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- guard`: fails if an operation has become slower by a fourth, in about a minute.
//
// It compares processor time per request with that of Fastify in the same rounds. Of the turns of one start of a
// server the one that took least counts, since what else a machine does only ever adds to it; of the starts the median,
// since each compiles its code somewhat differently. README.md says how the noise was established.

/**
 * Fastify's processor time per request over ours, as the guard itself measured it at best on the slower of two machines.
 * On the faster one the ratios were 1.07, 1.07 and 1.10.
 */
const REFERENCE = { list: 0.99, get: 0.93, create: 0.86 } as const satisfies Partial<
  Record<OperationName, number>
>;

/** Below this share of its reference a ratio fails: a fall by a fourth is found, and noise is not. */
const TOLERATED = 0.8;

const STARTS = 7;
const PLAN = { connections: 64, rounds: 5, duration: 150 };
const NAMES = Object.keys(REFERENCE) as (keyof typeof REFERENCE)[];
const KINDS = [PETSTORE_LOG_OFF, FASTIFY];

moveToLoadCore();
/** The least processor time per request of each start, of ours and of Fastify. */
const least: Record<keyof typeof REFERENCE, number[][]> = { list: [[], []], get: [[], []], create: [[], []] };
for (let start = 0; start < STARTS; start++) {
  const servers: RunningServer[] = [];
  for (const kind of KINDS) servers.push(await RunningServer.start(kind));
  for (const server of servers) await prepare(server);
  for (const name of NAMES) {
    const turns = await interleave(servers, OPERATIONS[name], PLAN);
    for (const [index, own] of turns.entries())
      least[name][index]?.push(Math.min(...own.map(({ cpu }) => cpu)));
  }
  for (const server of servers) await server.stop();
}

for (const name of NAMES) {
  const [own = Number.NaN, other = Number.NaN] = least[name].map(median);
  const found = other / own;
  const bound = REFERENCE[name] * TOLERATED;
  const holds = found >= bound;
  if (!holds) process.exitCode = 1;
  console.log(
    `${holds ? "ok" : "FAILED"}: ${name} takes ${own.toFixed(1)} µs, Fastify ${other.toFixed(1)}: ` +
      `the ratio is ${found.toFixed(2)}, was ${REFERENCE[name].toFixed(2)}, and must not be below ${bound.toFixed(2)}.`,
  );
}
