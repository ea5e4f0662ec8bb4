import { timeOf } from "../clock.js";
import type { Trouble } from "../faults/troubles.js";
import { type Findings, RULES, type Rule } from "../history/findings.js";
import { CLASSES, percentile, type Timeline } from "./timeline.js";

export interface Facts {
  /** The facts about the run by their names. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly timeline: Timeline;
  readonly troubles: readonly Trouble[];
  readonly findings: Findings;
  /** The file with the picture, beside the report. */
  readonly picture: string;
}

/** The report of a run, in Markdown. */
export function writeReport({ facts, timeline, troubles, findings, picture }: Facts): string {
  const total = findings.total;
  const result = total === 0 ? "Every rule held." : `**Rules were broken ${total} times.**`;
  return [
    `# ${facts.storage}, ${facts.duration}`,
    result,
    `![Over time: answers by class, the time within which 99 of 100 answers came, memory, descriptors, and the faults](${picture})`,
    table(["", ""], relevant(facts)),
    "## Answers",
    table(["status", "answers"], [...timeline.statuses].sort()),
    "## Faults",
    table(["fault", "times"], countFaults(troubles)),
    "## What the service used",
    usage(timeline),
    "## Rules",
    table(
      ["rule", "broken"],
      Object.entries(RULES).map(([name, text]) => [text, findings.counts.get(name as Rule) ?? 0]),
    ),
    ...details(findings, facts.seed as number),
    "",
  ].join("\n\n");
}

/** Leaves out the facts that are 0: this kind of run does not have them. */
function relevant(facts: Facts["facts"]): [string, string | number][] {
  return Object.entries(facts).filter(([name, value]) => value !== 0 || name === "broken rules");
}

function countFaults(troubles: readonly Trouble[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { name } of troubles) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort();
}

function usage({ stretches }: Timeline): string {
  const seen = stretches.filter(({ memory }) => memory > 0);
  const row = (name: string, values: readonly number[]) => [
    name,
    ...[0.5, 0.99, 1].map((share) => Math.round(percentile(values, share))),
  ];
  return table(
    ["of all processes, per 5 s", "median", "99 of 100", "most"],
    [
      row(
        "resident memory, MiB",
        seen.map(({ memory }) => memory / 2 ** 20),
      ),
      row(
        "open descriptors",
        seen.map(({ descriptors }) => descriptors),
      ),
      row(
        "threads",
        seen.map(({ threads }) => threads),
      ),
      row(
        "99 of 100 answers within, ms",
        stretches.map(({ p99 }) => p99),
      ),
      ...CLASSES.map((name) =>
        row(
          `${name} per s`,
          stretches.map(({ answers }) => answers[name] / 5),
        ),
      ),
    ],
  );
}

function details({ first, total }: Findings, seed: number): string[] {
  if (first.length === 0) return [];
  return [
    `## The first ${first.length} of ${total}`,
    ...first.map(({ rule, at, what, around, shownBy }) =>
      [
        `**${RULES[rule]}** (seed ${seed}, ${timeOf(at)}): ${what}. Around it: ${around.join("; ")}.`,
        ...shownBy.map((text) => `\`\`\`text\n${text}\n\`\`\``),
      ].join("\n\n"),
    ),
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
