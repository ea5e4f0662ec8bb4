import { moveToLoadCore } from "./cores.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { interleave, prepare } from "./rounds.js";
import { FASTIFY, PETSTORE, RunningServer } from "./servers.js";
import { median, ratio } from "./statistics.js";

// `npm run bench -- guard`: fails where an operation has become slower by a fifth, in about a minute.
//
// It compares processor time per request, which a busy machine disturbs much less than requests per second, with
// that of Fastify in the same rounds. Each start of a process compiles its code somewhat differently, so several are
// measured. README.md says how the noise was established.

/** Fastify's processor time per request over ours, with everything on, as measured when this was last set. */
const REFERENCE: Partial<Record<OperationName, number>> = { list: 1, get: 1, create: 1 };

/** Below this share of its reference a ratio fails: a fall by a fifth is found, and noise is not. */
const TOLERATED = 0.87;

const STARTS = 4;
const PLAN = { connections: 64, rounds: 8, duration: 150 };

moveToLoadCore();
const ratios: Partial<Record<OperationName, number[]>> = {};
for (let start = 0; start < STARTS; start++) {
  const servers = [await RunningServer.start(PETSTORE), await RunningServer.start(FASTIFY)] as const;
  for (const server of servers) await prepare(server);
  for (const name of Object.keys(REFERENCE) as OperationName[]) {
    const [own = [], other = []] = await interleave(servers, OPERATIONS[name], PLAN);
    const found = ratio(
      other.map(({ cpu }) => cpu),
      own.map(({ cpu }) => cpu),
    );
    ratios[name] = [...(ratios[name] ?? []), found.median];
  }
  for (const server of servers) await server.stop();
}

for (const [name, reference] of Object.entries(REFERENCE)) {
  const found = median(ratios[name as OperationName] ?? []);
  const fails = found < reference * TOLERATED;
  if (fails) process.exitCode = 1;
  console.log(
    `${fails ? "FAILED" : "ok"}: ${name} at ${found.toFixed(2)} × Fastify by processor time; ` +
      `it was ${reference.toFixed(2)}, and must stay above ${(reference * TOLERATED).toFixed(2)}.`,
  );
}
