import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { REPOSITORY } from "./server.js";
import { median, ratios } from "./statistics.js";
import type { Results, Turn } from "./turns.js";

export function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: REPOSITORY, encoding: "utf8" }).trim();
}

/** The commit that dated the last release before the version that is being made, which the changelog has first. */
export function releaseBefore(): string {
  const changelog = readFileSync(join(REPOSITORY, "CHANGELOG.md"), "utf8");
  const [, version] = [...changelog.matchAll(/^## (\S+)/gm)].map(([, heading]) => heading as string);
  return git(
    "log",
    "-1",
    "--format=%h",
    `-G^## ${version?.replaceAll(".", "[.]")} - 20`,
    "--",
    "CHANGELOG.md",
  );
}

/** What the figures belong to. The load is that of the last minute, so it says whether the machine did other work. */
export function machine(): string {
  const changed = git("status", "--porcelain", "--untracked-files=no") ? " with changes" : "";
  const [load = 0] = loadavg();
  const busy = load > 1 ? ", busy with other work: only the ratios count" : "";
  return (
    `${new Date().toISOString().slice(0, 10)}, commit ${git("rev-parse", "--short", "HEAD")}${changed}, ` +
    `Node ${process.version}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? "an unknown kind"}, ` +
    `load ${load.toFixed(1)} before the start${busy}`
  );
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

/** Compares servers in pairs: the second of each pair is the one to compare with. */
export function comparison(
  results: Results,
  names: readonly string[],
  pairs: readonly [number, number][],
): string {
  const rows: string[][] = [];
  for (const [operation, servers] of results) {
    for (const [own, other] of pairs) {
      const [a, b] = [servers[own] ?? [], servers[other] ?? []];
      rows.push([operation, names[own] ?? "", ...figures(a), cell(cost(a, b)), cell(rate(a, b))]);
      rows.push([operation, names[other] ?? "", ...figures(b), "1", "1"]);
    }
  }
  const columns = [
    "processor µs",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "processor time, ratio",
    "requests/s, ratio",
  ];
  return table(["operation", "server", ...columns], rows);
}

function figures(turns: readonly Turn[]): string[] {
  return [
    median(turns.map(({ cpu }) => cpu)).toFixed(1),
    median(turns.map(({ rate }) => rate)).toFixed(0),
    median(turns.map(({ p50 }) => p50)).toFixed(0),
    median(turns.map(({ p99 }) => p99)).toFixed(0),
  ];
}

/** How many times the processor time of the other; below 1 the first needs less. */
export function cost(own: readonly Turn[], other: readonly Turn[]): number[] {
  return ratios(
    own.map(({ cpu }) => cpu),
    other.map(({ cpu }) => cpu),
  );
}

function rate(own: readonly Turn[], other: readonly Turn[]): number[] {
  return ratios(
    own.map(({ rate }) => rate),
    other.map(({ rate }) => rate),
  );
}

export function cell(values: readonly number[]): string {
  const range = `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`;
  return values.length > 1
    ? `**${median(values).toFixed(2)}** (${range})`
    : `**${median(values).toFixed(2)}**`;
}
