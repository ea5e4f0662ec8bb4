import processes from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { Server, Socket } from "node:net";
import timers from "node:timers/promises";
import { currentOwner } from "./owner.js";

// Mocha loads this before the spec files. It fails a unit test, whose file's name has neither .it nor .slow, that does
// what makes tests slow or fail by chance.

/** The longest timer that may fire in a unit test, in milliseconds. A deadline that is met does not fire. */
const LONGEST_TIMER = 20;

/** Refuses something to a unit test; the harness itself may do all. */
function forbid(what: string): void {
  const owner = currentOwner();
  if (owner && !/\.(?:it|slow)(?:\.spec)?\.js$/.test(owner.file ?? "")) {
    throw new Error(`The tier of this test (unit) allows no ${what}.`);
  }
}

function guard<Name extends string>(
  owner: Record<Name, unknown>,
  name: Name,
  check: (first: unknown) => void,
): void {
  owner[name] = new Proxy(owner[name] as () => unknown, {
    apply(method, self, args) {
      check(args[0]);
      return Reflect.apply(method, self, args);
    },
  });
}

guard(Server.prototype, "listen", () => forbid("socket"));
guard(Socket.prototype, "connect", () => forbid("socket"));
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const) {
  guard(processes, name, () => forbid("process"));
}
guard(timers, "setTimeout", (delay) => {
  if (Number(delay) > LONGEST_TIMER) forbid(`sleep of ${delay} ms`);
});
globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimer, _, [callback, delay, ...args]) {
    const timer: NodeJS.Timeout = setTimer(() => {
      // Nothing waits for a timer that holds no process open.
      if (delay > LONGEST_TIMER && timer.hasRef()) forbid(`timer that fires after ${delay} ms`);
      callback(...args);
    }, delay);
    return timer;
  },
});
syncBuiltinESMExports();
