import { withRevision } from "./build-revision.js";
import { cell, cost } from "./report.js";
import { petstore } from "./server.js";
import { median } from "./statistics.js";
import { compare } from "./turns.js";

/**
 * The commit to compare with: that of the last release, or, until 1.1.0 is out, the one before which it became as fast as
 * it is. Beside 1.0.0 (`npm run bench -- guard be0ab5a`) a create takes up to a quarter more, lists and gets about as much.
 */
export const RELEASE = "aa4c311";

/** The most processor time a request may take, compared with the release: a quarter more, less the noise. */
const MOST = 1.2;

const PLAN = { starts: 5, rounds: 5, requests: 3000 };

/** Whether no operation takes a quarter more processor time than in the last release, or in `revision`. */
export function guard(revision = RELEASE): Promise<boolean> {
  return withRevision(revision, async (folder) => {
    const results = await compare([petstore("now"), petstore(revision, {}, folder)], PLAN);
    let holds = true;
    for (const [operation, [now = [], release = []]] of results) {
      const ratios = cost(now, release);
      const slow = median(ratios) > MOST;
      if (slow) holds = false;
      console.log(
        `${slow ? "FAILED" : "ok"}: ${operation} takes ${cell(ratios)} times the processor time of ${revision}; ` +
          `it may take at most ${MOST}.`,
      );
    }
    return holds;
  });
}
