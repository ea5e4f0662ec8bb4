import { withRevision } from "./build-revision.js";
import type { Operation } from "./operations.js";
import { cell, releaseBefore } from "./report.js";
import { petstore, type RunningServer } from "./server.js";
import { median, ratios } from "./statistics.js";
import { measure } from "./turns.js";

/**
 * The most processor time a request may take, compared with the release. 2.0.0 had fast paths for a list, its headers and
 * its route. `README.md` says what each limit holds.
 */
const MOST: Readonly<Record<string, number>> = {
  "list, first page": 1.6,
  get: 1.5,
  "401": 1.5,
  create: 1.35,
};

/**
 * A turn has 256 requests and takes some 10 ms: what else the machine does then disturbs both versions alike. The first
 * turns are those in which V8 compiles most.
 */
const PLAN = {
  starts: 5,
  warmUp: 15,
  turns: 40,
  takeTurn: (server: RunningServer, operation: Operation) => server.inject(operation, 4),
};

/** Whether no operation takes far more processor time than in the last release, or in `revision`. */
export function guard(revision = releaseBefore()): Promise<boolean> {
  return withRevision(revision, async (folder) => {
    const results = await measure([petstore("now"), petstore(revision, {}, folder)], PLAN);
    let holds = true;
    for (const [operation, [now = [], release = []]] of results) {
      const most = MOST[operation] ?? 1;
      const costs = now.map((turns, start) => median(ratios(turns, release[start] as number[])));
      const slow = median(costs) > most;
      if (slow) holds = false;
      console.log(
        `${slow ? "FAILED" : "ok"}: ${operation} takes ${cell(costs)} times the processor time of ${revision}; ` +
          `it may take at most ${most}.`,
      );
    }
    return holds;
  });
}
