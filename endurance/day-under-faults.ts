import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "./run.js";

/** A steady load, hostile clients and faults, for as long as the options say. */
export const dayUnderFaults: Work = async ({ load, hostile, schedules }, { duration }, stopping) => {
  const running = load.run();
  hostile.start();
  for (const schedule of schedules) schedule.start();
  await sleep(duration, undefined, { signal: stopping }).catch(() => {});
  await Promise.all(schedules.map((schedule) => schedule.stop()));
  await hostile.stop();
  await load.stop();
  await running;
};
