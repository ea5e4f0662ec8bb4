import processes from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { Server, Socket } from "node:net";
import { basename } from "node:path";
import timers from "node:timers/promises";
import { currentOwner } from "./owner.js";

// Mocha loads this before the spec files. It fails a test that does what the tier in its file's name forbids.

type Tier = "unit" | "it" | "slow";

/** The longest timer that may fire in a unit test, in milliseconds. A deadline that is met does not fire. */
const LONGEST_TIMER = 20;

/** Programs that only slow tests may start. */
const SLOW_PROGRAM = /^(?:cc|chromium|initdb|nginx|npm|npx|openssl|pg_ctl|postgres|promtool|systemd-.+)$/;

/** The ports of MongoDB servers. */
const MONGODB_PORTS = [27017, Number(/:(\d+)/.exec(process.env.PETSTORE_TEST_MONGODB_URL ?? "")?.[1])];

/** The tier of the test that made the running callback. The harness itself may do all. */
function tier(): Tier {
  const owner = currentOwner();
  if (!owner) return "slow";
  const [, suffix] = /\.(it|slow)(?:\.spec)?\.js$/.exec(owner.file ?? "") ?? [];
  return (suffix as Tier | undefined) ?? "unit";
}

function forbid(what: string, tiers: readonly Tier[]): void {
  if (tiers.includes(tier())) throw new Error(`The tier of this test (${tier()}) allows no ${what}.`);
}

/** Puts a check in front of a method. */
function guard<Name extends string>(
  owner: Record<Name, unknown>,
  name: Name,
  check: (...args: unknown[]) => void,
): void {
  owner[name] = new Proxy(owner[name] as () => unknown, {
    apply(method, self, args) {
      check(...args);
      return Reflect.apply(method, self, args);
    },
  });
}

guard(Server.prototype, "listen", () => forbid("socket", ["unit"]));

guard(Socket.prototype, "connect", (...args) => {
  forbid("socket", ["unit"]);
  const [target] = args.flat() as [{ port?: unknown } | number];
  const port = Number(typeof target === "object" ? target.port : target);
  if (MONGODB_PORTS.includes(port)) forbid("MongoDB", ["it"]);
});

for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const) {
  guard(processes, name, (command) => {
    forbid("process", ["unit"]);
    const program = basename(String(command).split(" ")[0] as string);
    if (SLOW_PROGRAM.test(program)) forbid(program, ["it"]);
  });
}

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(setTimer, _, [callback, delay, ...args]) {
    function fire(): void {
      // Nothing waits for a timer that holds no process open.
      if (delay > LONGEST_TIMER && timer.hasRef()) forbid(`timer that fires after ${delay} ms`, ["unit"]);
      callback(...args);
    }
    const timer = setTimer(fire, delay);
    return timer;
  },
});

guard(timers, "setTimeout", (delay) => {
  if (Number(delay) > LONGEST_TIMER) forbid(`sleep of ${delay} ms`, ["unit"]);
});

syncBuiltinESMExports();
