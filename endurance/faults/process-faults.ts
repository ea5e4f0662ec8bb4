import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../service/service.js";
import { type Fault, inSeconds, someSeconds } from "./fault.js";
import type { Troubles } from "./troubles.js";

/** How long a pause without faults lasts, in milliseconds: long enough to show whether the processes stay flat. */
const LONG_LIFE = 330_000;

/** How long clients may take to connect again after a start, in milliseconds. */
const AFTER_START = 1500;

const DOWN = { breaks: true, refusals: "all", down: true, heals: AFTER_START } as const;

/** The faults of the service's processes. One happens at a time. */
export function processFaults(
  service: Service,
  { workers, duration }: { readonly workers: number; readonly duration: number },
  troubles: Troubles,
): Fault[] {
  // Tries again after a second, as a service manager does.
  const start = async () => {
    for (;;) {
      try {
        return await service.start();
      } catch (error) {
        if (!troubles.has("blocksStart")) throw error;
        await sleep(1000);
      }
    }
  };
  const mend = async () => {
    await service.kill();
    await start();
  };
  const killService: Fault = {
    name: "kill -9 of the service",
    weight: 4,
    excuse: DOWN,
    async play(random) {
      await service.kill();
      const away = random.chance(0.5) ? 0 : someSeconds(random, 4);
      await sleep(away);
      await start();
      return `away for ${inSeconds(away)}`;
    },
  };
  const restart: Fault = {
    name: "SIGTERM and start",
    weight: 3,
    excuse: DOWN,
    async play() {
      const begun = performance.now();
      // While a thread waits for the disk, or for the log, a process can end only by SIGKILL.
      await service.stop({ mayKillItself: troubles.has("stalls") });
      const stopped = performance.now() - begun;
      await start();
      return `stopped in ${inSeconds(stopped)}`;
    },
  };
  const reload: Fault = {
    name: "SIGHUP",
    weight: 3,
    // Each worker has a successor before it goes: no client notices.
    excuse: { heals: 0 },
    async play(random) {
      const times = random.chance(0.7) ? 1 : random.between(2, 5);
      const [, ...old] = service.pids;
      for (let sent = 0; sent < times; sent++) {
        service.signal("SIGHUP");
        await sleep(random.between(0, 300));
      }
      if (workers > 1) await sleep(5000);
      return `${times} times, workers before: ${old.join(", ") || "none"}`;
    },
  };
  const killWorker: Fault = {
    name: "kill -9 of a worker",
    weight: 5,
    // Its connections break; the other workers go on.
    excuse: { breaks: true, heals: 11_000 },
    async play(random) {
      const [, ...others] = service.pids;
      const victim = random.pick(others);
      if (victim === undefined) return "there was none";
      process.kill(victim, "SIGKILL");
      return `process ${victim}`;
    },
  };
  const leaveAlone: Fault = {
    name: "no fault of the processes",
    weight: 1,
    excuse: { heals: 0 },
    async play(random, stopping) {
      const lasts = random.between(LONG_LIFE, 1.3 * LONG_LIFE);
      await sleep(lasts, undefined, { signal: stopping }).catch(() => {});
      return `for ${inSeconds(lasts)}`;
    },
  };
  for (const fault of [killService, restart]) fault.mend = mend;
  const faults = [killService, restart, reload];
  if (workers > 1) faults.push(killWorker);
  if (duration > 4 * LONG_LIFE) faults.push(leaveAlone);
  return faults;
}
