import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Clock } from "./clock.js";
import type { RunOptions } from "./options.js";
import { buildParts, type Parts } from "./parts.js";
import { drawChart } from "./report/chart.js";
import { factsOf } from "./report/facts.js";
import { Progress } from "./report/progress.js";
import { writeReport } from "./report/report.js";
import { verifyAll } from "./verify.js";

/** The part of a run between the start of the service and the last comparison. */
export type Work = (parts: Parts, options: RunOptions, stopping: AbortSignal) => Promise<void>;

/**
 * Starts the service in an empty folder, does the work, compares the storage with everything that the service has
 * acknowledged, and writes the report.
 */
export async function run(
  work: Work,
  options: RunOptions,
  folder: string,
  stopping: AbortSignal,
): Promise<Parts> {
  const clock = new Clock();
  const progress = new Progress(clock, options.quiet);
  const parts = await buildParts(options, folder, clock, (line) => progress.note(line));
  const { service, watch, findings } = parts;
  try {
    await service.start();
    watch.start();
    progress.start(parts);
    await work(parts, options, stopping);
    progress.note("comparing the storage with everything that the service has acknowledged");
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
  return parts;
}

function report(path: string, options: RunOptions, parts: Parts): void {
  const { timeline, findings, troubles } = parts;
  const facts = factsOf(options, parts);
  writeFileSync(`${path}.svg`, drawChart(timeline, troubles.all, `${facts.storage}, seed ${facts.seed}`));
  const picture = `${basename(path)}.svg`;
  writeFileSync(`${path}.md`, writeReport({ facts, timeline, troubles: troubles.all, findings, picture }));
}
