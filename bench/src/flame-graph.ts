/** The parts of a profile of V8 (`--cpu-prof`) that this module reads. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node on top of the stack, by its id, at each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Frame {
  readonly name: string;
  time: number;
  readonly children: Map<string, Frame>;
}

const WIDTH = 1200;
const ROW = 16;
/** Narrower bars, in pixels, are left out. */
const NARROWEST = 1;

/**
 * Draws the time of a profile as nested bars, callers above the functions that they call. Leaves out the time
 * in which the process waited.
 */
export function flameGraph(profile: CpuProfile): string {
  const root = treeOf(profile);
  const parts: string[] = [];
  let rows = 0;
  function draw(frame: Frame, x: number, row: number): void {
    const width = (WIDTH * frame.time) / root.time;
    if (width < NARROWEST) return;
    rows = Math.max(rows, row + 1);
    const share = ((100 * frame.time) / root.time).toFixed(1);
    const hue = frame.name.includes("adapters/") || frame.name.includes("application/") ? "own" : "other";
    const label = escapeXml(frame.name.slice(0, Math.floor(width / 6)));
    parts.push(
      `<g><title>${escapeXml(frame.name)}, ${share} %</title>` +
        `<rect x="${x.toFixed(1)}" y="${row * ROW}" width="${width.toFixed(1)}" height="${ROW - 1}" class="${hue}"/>` +
        `<text x="${(x + 2).toFixed(1)}" y="${row * ROW + 11}">${label}</text></g>`,
    );
    let left = x;
    for (const child of [...frame.children.values()].sort((a, b) => b.time - a.time)) {
      draw(child, left, row + 1);
      left += (WIDTH * child.time) / root.time;
    }
  }
  draw(root, 0, 0);
  const height = rows * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">
<title>Processor time, callers above what they call</title>
<style>
svg { background: #fff } text { font: 10px monospace; fill: #222 } .own { fill: #8fbcdb } .other { fill: #e6dccb }
</style>
${parts.join("\n")}
</svg>
`;
}

function treeOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const root: Frame = { name: "all", time: 0, children: new Map() };
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const names: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const node = byId.get(id);
      if (node) names.unshift(nameOf(node));
    }
    // The first is V8's own root.
    if (names[1] === "(idle)") continue;
    let frame = root;
    frame.time += time;
    for (const name of names.slice(1)) {
      let child = frame.children.get(name);
      if (!child) {
        child = { name, time: 0, children: new Map() };
        frame.children.set(name, child);
      }
      child.time += time;
      frame = child;
    }
  }
  return root;
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url.replace(/^.*\/(?:node_modules|dist\/src)\//, "");
  return `${functionName || "anonymous"}${place && ` ${place}:${lineNumber + 1}`}`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
