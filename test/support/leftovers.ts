import { createHook } from "node:async_hooks";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { endConnections } from "./kept-connections.js";
import { currentOwner, type Owner } from "./owner.js";
import { removeFolders } from "./temporary-folder.js";

// Mocha loads this before the spec files. A test fails if it leaves something behind that could reach another test.

/** What lives on after the code that made it, by the name that `node:async_hooks` gives it. */
const KINDS: Readonly<Record<string, string>> = {
  Timeout: "a timer",
  TCPSERVERWRAP: "a server",
  PIPESERVERWRAP: "a server",
  TCPWRAP: "a socket",
  PIPEWRAP: "a pipe",
  UDPWRAP: "a socket",
  PROCESSWRAP: "a child process",
  WORKER: "a thread",
  FSEVENTWRAP: "a watched file",
  STATWATCHER: "a watched file",
};

/** How long a closed socket, or a child that was told to end, may take to be gone, in milliseconds. */
const PATIENCE = 1000;

interface Living {
  readonly kind: string;
  readonly owner: Owner;
  readonly resource: { hasRef?(): boolean };
  /** The line of a file that made it. */
  readonly madeAt: string;
}

const living = new Map<number, Living>();

createHook({
  init(id, type, _, resource) {
    const kind = KINDS[type];
    const owner = kind && currentOwner();
    if (!kind || !owner) return;
    const lines = makers();
    // Node's own timers belong to a socket or a server, which is seen itself, and mocha's to the test.
    if (type === "Timeout" && /node:|mocha.lib/.test(lines[0] ?? "node:")) return;
    living.set(id, {
      kind,
      owner,
      resource,
      madeAt: lines.find((line) => !line.includes("node:")) ?? "at a later time",
    });
  },
  destroy(id) {
    living.delete(id);
  },
}).enable();

/** The lines of files that led here, without those of the harness and of the functions that set a timer. */
function makers(): string[] {
  const frames = (new Error().stack ?? "").split("\n").slice(3);
  const ours = /support\/(?:tiers|leftovers)\.|node:(?:internal\/)?(?:async_hooks|timers)|new Promise/;
  return frames.filter((frame) => !ours.test(frame)).map((frame) => frame.trim());
}

/** The folder for temporary files of this process, in which a test leaves none. */
const TEMPORARY = mkdtempSync(join(tmpdir(), "petstore-tests-"));
// Others, like the user of PostgreSQL, reach their own folders in it.
chmodSync(TEMPORARY, 0o755);
process.env.TMPDIR = TEMPORARY;
process.on("exit", () => rmSync(TEMPORARY, { recursive: true, force: true }));

/** What a test may not change: variables of the environment, and the names in two folders. */
function surroundings(): string[] {
  const variables = Object.entries(process.env).map(([name, value]) => `the variable ${name}=${value}`);
  // A build may run meanwhile.
  const here = readdirSync(".").filter((name) => !/^(?:dist|\.build)/.test(name));
  const files = [...here, ...readdirSync(TEMPORARY).map((name) => join(TEMPORARY, name))];
  return [...variables, ...files.map((name) => `the file ${name}`)];
}

/** The program's own timer that holds no process open may run out; the library of rate limits has one for each key. */
function isTolerated({ kind, madeAt, resource }: Living): boolean {
  return kind === "a timer" && !/\/test\//.test(madeAt) && resource.hasRef?.() === false;
}

/** What is left of an owner, or of all: it may still close for a while, but a timer may not wait. */
async function leftBehind(owner?: Owner): Promise<string[]> {
  const left = () =>
    [...living.values()].filter((one) => (!owner || one.owner === owner) && !isTolerated(one));
  await turn();
  await turn();
  const timers = left().filter(({ kind }) => kind === "a timer");
  for (let waited = 0; timers.length === 0 && left().length > 0 && waited < PATIENCE; waited += 5)
    await sleep(5);
  const reported = left();
  for (const [id, one] of living) if (reported.includes(one)) living.delete(id);
  return reported.map(({ kind, owner, madeAt }) => `${kind} of "${owner.fullTitle()}" ${madeAt}`);
}

let before: string[] = [];

export const mochaHooks = {
  beforeEach() {
    before = surroundings();
  },
  async afterEach(this: Mocha.Context) {
    endConnections();
    const left = await leftBehind(this.currentTest);
    removeFolders(this.currentTest);
    const now = surroundings();
    left.push(...now.filter((one) => !before.includes(one)));
    left.push(...before.filter((one) => !now.includes(one)).map((one) => `the lack of ${one}`));
    if (left.length > 0) fail(this, left);
  },
  beforeAll(this: Mocha.Context) {
    for (const suite of this.test?.parent?.suites ?? []) {
      suite.afterAll("leaves nothing behind", async () => {
        const left = await leftBehind();
        removeFolders();
        if (left.length > 0) throw new Error(`It left behind: ${left.join("; ")}`);
      });
    }
  },
};

/** Fails the test that has just ended, and not the hook, which would end the suite. */
function fail(hook: Mocha.Context, left: readonly string[]): void {
  const error = new Error(`It left behind: ${left.join("; ")}`);
  (hook.test as unknown as { error(error: Error): void }).error(error);
}
