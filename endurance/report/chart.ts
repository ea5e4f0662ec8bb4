import type { Trouble } from "../faults/troubles.js";
import { type AnswerClass, CLASSES, STRETCH, type Stretch, type Timeline } from "./timeline.js";

const WIDTH = 900;
const LEFT = 215;
const PANEL = 110;
const GAP = 34;

/** The most points of a line; more would make the picture large and no clearer. */
const POINTS = 450;

const COLOURS: Record<AnswerClass, string> = {
  "2xx": "#1b5e8c",
  "4xx": "#7a9e3c",
  "503": "#d08a00",
  "other 5xx": "#c00020",
  "no answer": "#7d3cb5",
};

interface Line {
  readonly name: string;
  readonly colour: string;
  read(stretch: Stretch): number;
}

/** A run over time: one panel above the other, with a mark for each fault. */
export function drawChart({ stretches }: Timeline, troubles: readonly Trouble[], title: string): string {
  const end = (stretches.at(-1)?.from ?? 0) + STRETCH;
  const perPoint = Math.max(1, Math.ceil(stretches.length / POINTS));
  const x = (time: number) => (LEFT + (Math.min(time, end) / end) * WIDTH).toFixed(1);
  const classes = CLASSES.map((name) => ({
    name,
    colour: COLOURS[name],
    read: ({ answers }: Stretch) => answers[name] / (STRETCH / 1000),
  }));
  const panels: [string, Line[]][] = [
    ["answers per second", classes],
    ["99 of 100 answers within, ms", [{ name: "", colour: "#333", read: ({ p99 }) => p99 }]],
    ["resident memory, MiB", [{ name: "", colour: "#1b5e8c", read: ({ memory }) => memory / 2 ** 20 }]],
    ["open descriptors", [{ name: "", colour: "#1b5e8c", read: ({ descriptors }) => descriptors }]],
  ];
  const parts = panels.map(([name, lines], index) => drawPanel(name, lines, 40 + index * (PANEL + GAP)));
  const bottom = 40 + panels.length * (PANEL + GAP);
  const height = bottom + 30 + Math.ceil(new Set(troubles.map(({ name }) => name)).size) * 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 20}" height="${height}" viewBox="0 0 ${LEFT + WIDTH + 20} ${height}">
<title>${title}</title>
<style>svg { background: #fff } text { font: 11px sans-serif; fill: #222 } .title { font-weight: bold } path { fill: none; stroke-width: 1.2 } .axis { stroke: #bbb }</style>
<text x="4" y="16" class="title">${title}</text>
${parts.join("\n")}
${drawFaults(bottom)}
</svg>
`;

  function drawPanel(name: string, lines: readonly Line[], top: number): string {
    const points = lines.map(({ read }) => combine(stretches, perPoint, read));
    const most = Math.max(1, ...points.flat());
    const y = (value: number) => (top + PANEL - (value / most) * PANEL).toFixed(1);
    const legend = lines
      .filter(({ name }) => name)
      .map(
        (line, n) =>
          `<text x="${LEFT + 160 + n * 90}" y="${top - 5}" style="fill:${line.colour}">${line.name}</text>`,
      );
    const paths = lines.map(({ colour }, n) => {
      const steps = (points[n] ?? []).map((value, at) => `${x(at * perPoint * STRETCH)} ${y(value)}`);
      return `<path stroke="${colour}" d="M${steps.join("L")}"/>`;
    });
    return [
      `<text x="${LEFT}" y="${top - 5}" class="title">${name}</text>`,
      `<path class="axis" d="M${LEFT} ${top}V${top + PANEL}H${LEFT + WIDTH}"/>`,
      `<text x="${LEFT - 6}" y="${top + 8}" text-anchor="end">${Math.round(most)}</text>`,
      `<text x="${LEFT - 6}" y="${top + PANEL}" text-anchor="end">0</text>`,
      ...legend,
      ...paths,
    ].join("\n");
  }

  function drawFaults(top: number): string {
    const names = [...new Set(troubles.map(({ name }) => name))].sort();
    const rows = names.map((name, row) => {
      const y = top + row * 16;
      const marks = troubles
        .filter((trouble) => trouble.name === name)
        .map(({ begun, over }) => {
          const width = Math.max(1.5, Number(x(Math.min(over, end))) - Number(x(begun)));
          return `<rect x="${x(begun)}" y="${y - 9}" width="${width.toFixed(1)}" height="10" fill="#c0392b"/>`;
        });
      return `${marks.join("")}<text x="${LEFT - 6}" y="${y}" text-anchor="end">${name}</text>`;
    });
    const minutes = `<text x="${LEFT}" y="${top + names.length * 16 + 6}">0</text><text x="${LEFT + WIDTH}" y="${top + names.length * 16 + 6}" text-anchor="end">${(end / 60_000).toFixed(1)} min</text>`;
    return [...rows, minutes].join("\n");
  }
}

/** The greatest of each few values. */
function combine(
  stretches: readonly Stretch[],
  perPoint: number,
  read: (stretch: Stretch) => number,
): number[] {
  const values: number[] = [];
  for (let at = 0; at < stretches.length; at += perPoint) {
    values.push(Math.max(...stretches.slice(at, at + perPoint).map(read)));
  }
  return values;
}
