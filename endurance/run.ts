import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Clock, timeOf } from "./clock.js";
import type { RunOptions } from "./options.js";
import { buildParts, type Parts } from "./parts.js";
import { drawChart } from "./report/chart.js";
import { factsOf } from "./report/facts.js";
import { Progress } from "./report/progress.js";
import { writeReport } from "./report/report.js";
import { verifyAll } from "./verify.js";

/** What a run does between the start of the service and the last comparison. */
export type Work = (parts: Parts, options: RunOptions, stopping: AbortSignal) => Promise<void>;

/** Starts the service, does the work, compares everything with what was acknowledged, and writes the report. */
export async function run(work: Work, options: RunOptions, stopping: AbortSignal): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-endurance-"));
  const clock = new Clock();
  const progress = new Progress(clock);
  const parts = await buildParts(options, folder, clock, (line) => progress.note(line));
  const { service, watch, findings } = parts;
  try {
    await service.start();
    watch.start();
    progress.start(parts);
    await work(parts, options, stopping);
    progress.note("comparing everything with what was acknowledged");
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
  if (options.report) report(options.report, options, parts);
  conclude(options, parts, folder);
  return parts;
}

function report(path: string, options: RunOptions, parts: Parts): void {
  const { timeline, findings, troubles } = parts;
  const facts = factsOf(options, parts);
  writeFileSync(`${path}.svg`, drawChart(timeline, troubles.all, `${facts.storage}, seed ${facts.seed}`));
  const picture = `${basename(path)}.svg`;
  writeFileSync(`${path}.md`, writeReport({ facts, timeline, troubles: troubles.all, findings, picture }));
}

function conclude(
  { seed }: RunOptions,
  { timeline, history, troubles, findings, clock }: Parts,
  folder: string,
): void {
  const done = `${timeline.requests} requests, ${history.turn} pets, ${troubles.all.length} faults`;
  console.log(`seed ${seed}: ${done} in ${timeOf(clock.now())}; ${findings.total} broken rules`);
  if (findings.total === 0) rmSync(folder, { recursive: true });
  else console.log(`The storage and the log of the service are in ${folder}.`);
}
