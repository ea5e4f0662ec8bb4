import processes, { type ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import promises, { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import threads from "node:worker_threads";
import Mocha from "mocha";
import { endConnections } from "./kept-connections.js";
import { currentOwner, type Owner } from "./owner.js";
import { removeFolders } from "./temporary-folder.js";

// Mocha loads this before the spec files. A test fails if it leaves something behind that could reach another test.

/** How long a closed socket, or a child that was told to end, may take to be gone, in milliseconds. */
const PATIENCE = 1000;

/** What lives on after the code that made it. */
interface Living {
  readonly kind: string;
  readonly owner: Owner;
  readonly isGone: () => boolean;
  /** Where it was made. */
  readonly trace: Error;
}

let living: Living[] = [];

function note(kind: string, isGone: () => boolean, trace = new Error(), owner = currentOwner()): void {
  if (owner) living.push({ kind, owner, isGone, trace });
}

/** Shows each result of a method, the object that has the method, and the arguments. */
function observe<Name extends string>(
  owner: Record<Name, unknown>,
  name: Name,
  seen: (result: never, self: never, args: unknown[]) => void,
): void {
  owner[name] = new Proxy(owner[name] as () => unknown, {
    apply(method, self, args) {
      const result = Reflect.apply(method, self, args);
      seen(result as never, self as never, args);
      return result;
    },
  });
}

observe(Server.prototype, "listen", (_, server: Server) => note("a server", () => !server.listening));
observe(Socket.prototype, "connect", (_, socket: Socket) => {
  const trace = new Error();
  const owner = currentOwner();
  // MongoDB's driver opens a connection of its pool in whichever test needs one more. The pool belongs to the suite.
  const isOfPool = owner instanceof Mocha.Test && placeOf(trace).includes("node_modules/mongodb/");
  note("a socket", () => socket.destroyed, trace, isOfPool ? owner.parent : owner);
});
for (const name of ["spawn", "exec", "execFile", "fork"] as const) {
  observe(processes, name, (child: ChildProcess) => {
    note("a child process", () => child.exitCode !== null || child.signalCode !== null);
  });
}
threads.Worker = new Proxy(threads.Worker, {
  construct(Worker, args) {
    const worker: threads.Worker = Reflect.construct(Worker, args);
    let gone = false;
    worker.once("exit", () => {
      gone = true;
    });
    note("a thread", () => gone);
    return worker;
  },
});

/** The timers that have neither fired nor been cleared. */
const timers = new Set<unknown>();
const clock = globalThis as unknown as Record<string, (...args: unknown[]) => unknown>;

for (const set of ["setTimeout", "setInterval"]) {
  const setTimer = clock[set] as (...args: unknown[]) => NodeJS.Timeout;
  clock[set] = new Proxy(setTimer, {
    apply(_, self, [callback, ...args]) {
      const trace = new Error();
      const timer = Reflect.apply(setTimer, self, [fire, ...args]);
      function fire(...values: unknown[]): void {
        if (set === "setTimeout") timers.delete(timer);
        callback(...values);
      }
      timers.add(timer);
      // The program's own timer may run out if it holds no process open, and so may that of Node's `fetch`.
      const mayRunOut = () => isOfFetch(trace) || (!timer.hasRef() && !placeOf(trace).includes("/test/"));
      note("a timer", () => !timers.has(timer) || mayRunOut(), trace);
      return timer;
    },
  });
}
for (const clear of ["clearTimeout", "clearInterval"]) {
  observe(clock, clear, (_result, _self, [timer]) => timers.delete(timer));
}
observe(promises, "setTimeout", (slept: Promise<unknown>) => {
  let over = false;
  note("a timer", () => over);
  const end = () => {
    over = true;
  };
  slept.then(end, end);
});
syncBuiltinESMExports();

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

/** What is left of an owner, or of all: it may still close for a while, but a timer may not wait. */
async function leftBehind(owner?: Owner): Promise<string[]> {
  await turn();
  const left = () => {
    living = living.filter(({ isGone }) => !isGone());
    return living.filter((one) => !owner || one.owner === owner);
  };
  const closing = () => left().length > 0 && left().every(({ kind }) => kind !== "a timer");
  for (let waited = 0; closing() && waited < PATIENCE; waited += 5) await sleep(5);
  const reported = left();
  living = living.filter((one) => !reported.includes(one));
  return reported.map(({ kind, owner, trace }) => `${kind} of "${owner.fullTitle()}" ${placeOf(trace)}`);
}

/** Whether Node's `fetch` set the timer itself, and not a callback of its caller. */
function isOfFetch({ stack = "" }: Error): boolean {
  const frames = stack.split("\n").slice(1);
  return /node:internal.deps/.test(frames.find((frame) => !/support.(?:leftovers|tiers)/.test(frame)) ?? "");
}

/** The first line of a trace outside of Node and this file. */
function placeOf({ stack = "" }: Error): string {
  const frames = stack.split("\n").slice(1);
  return frames.find((frame) => !/node:|support.leftovers|<anonymous>\)$/.test(frame))?.trim() ?? "";
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
