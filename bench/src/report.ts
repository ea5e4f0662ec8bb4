import { cpus } from "node:os";
import { PLACEMENT } from "./cores.js";
import type { Operation } from "./operations.js";
import type { Plan, Turn } from "./rounds.js";
import type { Usage } from "./servers.js";
import { median, type Ratio, ratio } from "./statistics.js";

/** The date, the version of Node and the machine. */
export function machine(placement = PLACEMENT): string {
  return (
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ` +
    `${cpus().length} cores of ${cpus()[0]?.model}, ${placement}`
  );
}

/** The heading of a report: the date, the machine and the rounds. */
export function heading(plans: readonly Plan[]): string {
  const lines = plans.map(
    ({ connections, rounds, duration }) =>
      `- ${connections} connection${connections > 1 ? "s" : ""}: ${rounds} rounds after one to warm up, ` +
      `${duration} ms a turn`,
  );
  return [
    "# Results",
    "",
    `Written by \`npm run bench\`: ${machine()}.`,
    "",
    ...lines,
    "",
    "Medians of the rounds; the ratio to Fastify is that of each round, with the lowest and the highest.",
    "Processor time is the server's own, with all its threads, per request.",
    "",
    "![Requests per second](results.svg)",
  ].join("\n");
}

interface OperationTable {
  readonly text: string;
  /** The median of each server, in requests per second. */
  readonly rates: readonly number[];
}

export function operationTable(
  operation: Operation,
  { connections }: Plan,
  names: readonly string[],
  turns: readonly (readonly Turn[])[],
  baseline: number,
): OperationTable {
  const compared = `× ${names[baseline]?.split(" ")[0]}`;
  const series = (server: number, field: keyof Turn) => (turns[server] ?? []).map((turn) => turn[field]);
  const rates = names.map((_, server) => median(series(server, "rate")));
  const rows = names.map((name, server) => [
    name,
    (rates[server] as number).toFixed(0),
    ratioCell(ratio(series(server, "rate"), series(baseline, "rate"))),
    median(series(server, "cpu")).toFixed(1),
    ratioCell(ratio(series(baseline, "cpu"), series(server, "cpu"))),
    median(series(server, "p50")).toFixed(2),
    median(series(server, "p99")).toFixed(2),
  ]);
  const title = `## ${operation.name}, ${connections} connection${connections > 1 ? "s" : ""}`;
  const columns = [
    "server",
    "requests/s",
    compared,
    "processor µs",
    `${compared} by processor time`,
    "p50 ms",
    "p99 ms",
  ];
  return { text: `${title}\n\n${table(columns, rows)}`, rates };
}

export function memoryTable(names: readonly string[], usages: readonly Usage[]): string {
  const rows = names.map((name, server) => [name, ((usages[server] as Usage).rss / 2 ** 20).toFixed(0)]);
  return `## Resident memory once all was measured\n\n${table(["server", "MiB"], rows)}`;
}

function ratioCell({ median, min, max }: Ratio): string {
  return `**${median.toFixed(2)}** (${min.toFixed(2)}–${max.toFixed(2)})`;
}

/** A table in Markdown, its first column text and the others numbers. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = columns.map((_, index) => (index === 0 ? "---" : "---:"));
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
