import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type Mocha from "mocha";
import { endConnections } from "./kept-connections.js";
import { removeFolders } from "./temporary-folder.js";

// Mocha loads this before the spec files. A test fails if it leaves a variable or a temporary file behind, and a suite if
// it leaves something that would keep the process from ending.

/** The folder for temporary files of this process. */
const TEMPORARY = mkdtempSync(join(tmpdir(), "petstore-tests-"));
// Others, like the user of PostgreSQL, reach their own folders in it.
chmodSync(TEMPORARY, 0o755);
process.env.TMPDIR = TEMPORARY;
process.on("exit", () => rmSync(TEMPORARY, { recursive: true, force: true }));

const surroundings = () => [
  ...Object.entries(process.env).map(([name, value]) => `the variable ${name}=${value}`),
  ...readdirSync(TEMPORARY).map((name) => `the file ${name}`),
];

const threads = new Set<Worker>();
process.on("worker", (thread: Worker) => {
  threads.add(thread);
  thread.once("exit", () => threads.delete(thread));
});

/** The kinds of all that keeps the process from ending, once mocha has set the timer of its hook. */
async function openKinds(): Promise<string[]> {
  await turn();
  return [...process.getActiveResourcesInfo(), ...Array.from(threads, () => "Worker")];
}

/** The names of `now` that `before` has not, or not so often. */
function more(now: readonly string[], before: readonly string[]): string[] {
  const rest = [...before];
  return now.filter((name) => !rest.includes(name) || !rest.splice(rest.indexOf(name), 1));
}

let before: string[] = [];

export const mochaHooks = {
  beforeEach() {
    before = surroundings();
  },
  afterEach(this: Mocha.Context) {
    endConnections();
    removeFolders(this.currentTest);
    const now = surroundings();
    const left = [...more(now, before), ...more(before, now).map((one) => `the lack of ${one}`)];
    const error = new Error(`It left behind: ${left.join("; ")}`);
    // Fails the test that has just ended, and not the hook, which would end the suite.
    if (left.length > 0) (this.test as unknown as { error(error: Error): void }).error(error);
  },
  beforeAll(this: Mocha.Context) {
    for (const suite of this.test?.parent?.suites ?? []) {
      let open: string[] = [];
      suite.beforeAll("looks around", async () => {
        open = await openKinds();
      });
      suite.afterAll("leaves nothing behind", async () => {
        removeFolders();
        let left = more(await openKinds(), open);
        // It may still close for a while, but a timer may not fire meanwhile.
        for (let waited = 0; left.length > 0 && !left.includes("Timeout") && waited < 3000; waited += 10) {
          await sleep(10);
          left = more(await openKinds(), open);
        }
        if (left.length > 0) throw new Error(`It left behind: ${left.join("; ")}`);
      });
    }
  },
};
