import { withRevision } from "./build-revision.js";
import { cell, cost, git } from "./report.js";
import { petstore } from "./server.js";
import { median } from "./statistics.js";
import { compare } from "./turns.js";

/** The commit of the last release: the last one that dated a version in the changelog. */
export const RELEASE = git("log", "-1", "--format=%h", "-G^## [0-9.]+ - 20", "--", "CHANGELOG.md");

/**
 * The most processor time a request may take, compared with the release. 2.0.0 had fast paths for a list, its headers and
 * its route. `README.md` says what each limit holds.
 */
const MOST: Readonly<Record<string, number>> = {
  "list, first page": 1.4,
  get: 1.25,
  "401": 1.25,
  create: 1.25,
};

const PLAN = { starts: 5, rounds: 5, requests: 3000 };

/** Whether no operation takes far more processor time than in the last release, or in `revision`. */
export function guard(revision = RELEASE): Promise<boolean> {
  return withRevision(revision, async (folder) => {
    const results = await compare([petstore("now"), petstore(revision, {}, folder)], PLAN);
    let holds = true;
    for (const [operation, [now = [], release = []]] of results) {
      const ratios = cost(now, release);
      const most = MOST[operation] ?? 1;
      const slow = median(ratios) > most;
      if (slow) holds = false;
      console.log(
        `${slow ? "FAILED" : "ok"}: ${operation} takes ${cell(ratios)} times the processor time of ${revision}; ` +
          `it may take at most ${most}.`,
      );
    }
    return holds;
  });
}
