const BAR = 18;
const GAP = 4;
const LABEL = 200;
const WIDTH = 460;
const VALUE = 80;

/**
 * Horizontal bars of requests per second, a group for each operation. The bars of this service are darker.
 */
export function barChart(
  names: readonly string[],
  rates: Readonly<Record<string, readonly number[]>>,
): string {
  const parts: string[] = [];
  let y = 0;
  for (const [operation, values] of Object.entries(rates)) {
    const longest = Math.max(...values);
    parts.push(`<text x="0" y="${y + 24}" class="title">${operation}, requests per second</text>`);
    y += 36;
    for (const [index, value] of values.entries()) {
      const name = names[index] ?? "";
      const width = (WIDTH * value) / longest;
      const own = name.startsWith("Petstore") ? "own" : "other";
      const baseline = y + BAR - 5;
      parts.push(
        `<text x="${LABEL - 8}" y="${baseline}" text-anchor="end">${name}</text>`,
        `<rect x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" class="${own}"/>`,
        `<text x="${(LABEL + width + 6).toFixed(1)}" y="${baseline}">${value.toFixed(0)}</text>`,
      );
      y += BAR + GAP;
    }
    y += 12;
  }
  const [width, height] = [LABEL + WIDTH + VALUE, y];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>Requests per second of each server</title>
<style>
svg { background: #fff } text { font: 12px sans-serif; fill: #222 } .title { font-weight: bold }
.own { fill: #1b5e8c } .other { fill: #b5c7d3 }
</style>
${parts.join("\n")}
</svg>
`;
}
