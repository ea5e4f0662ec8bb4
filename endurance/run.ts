import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Clock, timeOf } from "./clock.js";
import type { RunOptions } from "./options.js";
import { buildParts, type Parts } from "./parts.js";
import { drawChart } from "./report/chart.js";
import { factsOf } from "./report/facts.js";
import { Progress } from "./report/progress.js";
import { writeReport } from "./report/report.js";
import { verifyAll } from "./verify.js";

/** Runs for as long as it is told, or until `interrupted`. Gives the number of findings. */
export async function run(options: RunOptions, interrupted: AbortSignal): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-endurance-"));
  const clock = new Clock();
  const progress = new Progress(clock, options.duration);
  const parts = await buildParts(options, folder, clock, (line) => progress.note(line));
  const { service, load, watch, schedules, hostile, troubles, timeline, findings, history } = parts;
  try {
    await service.start();
    watch.start();
    progress.start(parts);
    const running = load.run();
    hostile.start();
    for (const schedule of schedules) schedule.start();
    await sleep(options.duration, undefined, { signal: interrupted }).catch(() => {});
    progress.note("ending the faults, and comparing everything with what was acknowledged");
    await Promise.all(schedules.map((schedule) => schedule.stop()));
    await hostile.stop();
    await load.stop();
    await running;
    await verifyAll(parts);
    watch.stop();
    await service.stop();
  } catch (error) {
    findings.add("process", `the run ended early: ${(error as Error).stack}`);
  } finally {
    watch.stop();
    progress.stop();
    clock.stop();
    await parts.close();
  }
  if (options.report) {
    const title = `${options.storage.replace(/\/\/[^/@]*@/, "//…@")}, seed ${options.seed}`;
    writeFileSync(`${options.report}.svg`, drawChart(timeline, troubles.all, title));
    const picture = `${basename(options.report)}.svg`;
    const facts = factsOf(options, parts, clock);
    writeFileSync(
      `${options.report}.md`,
      writeReport({ facts, timeline, troubles: troubles.all, findings, picture }),
    );
  }
  const summary = `${timeline.requests} requests, ${history.turn} pets, ${troubles.all.length} faults in ${timeOf(clock.now())}`;
  console.log(`seed ${options.seed}: ${summary}; ${findings.total} broken rules`);
  if (findings.total === 0) rmSync(folder, { recursive: true });
  else console.log(`The storage and the log of the service are in ${folder}.`);
  return parts;
}
