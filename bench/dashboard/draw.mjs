import * as echarts from "echarts";

const WIDTH = 1440;
const [MARGIN, HEAD, ROW, GAP] = [16, 64, 36, 8];
const COLUMN = (WIDTH - 2 * MARGIN) / 24;
const COLOURS = ["#3274d9", "#e0752d", "#37872d", "#8f3bb8", "#c4162a", "#b8860b", "#0f8a8a", "#6e6e6e"];
const FONT = "font-family='sans-serif'";

/** For each unit of Grafana, the factor for a value, and the text behind it. */
const UNITS = {
  reqps: [1, "req/s"],
  ops: [1, "ops/s"],
  percentunit: [100, "%"],
  s: [1000, "ms"],
  bytes: [2 ** -20, "MiB"],
  short: [1, ""],
};

/**
 * Draws the panels at their places as one SVG. A panel is that of the dashboard, with the answers to its
 * queries as `series`.
 */
export function draw(title, panels, seconds, events) {
  const boxes = panels.map((panel) => ({ panel, ...boxOf(panel.gridPos) }));
  const height = Math.max(...boxes.map(({ y, height }) => y + height)) + MARGIN;
  const parts = boxes.map(
    ({ panel, x, y, width, height }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="#fff" stroke="#d8dade"/>` +
      `<g transform="translate(${x} ${y})">${chart(panel, width, height, seconds, events)}</g>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<title>${title}</title>
<rect width="100%" height="100%" fill="#f4f5f7"/>
<text x="${MARGIN}" y="40" ${FONT} font-size="22" font-weight="bold" fill="#24292e">${title}</text>
${events.map(caption).join("\n")}
${parts.join("\n")}
</svg>
`;
  // A tenth of a pixel is enough.
  return svg.replace(/\d+\.\d{2,}/g, (coordinate) => String(Math.round(Number(coordinate) * 10) / 10));
}

/** The place and size of a panel. Grafana's grid has 24 columns. */
function boxOf({ x, y, w, h }) {
  return { x: MARGIN + x * COLUMN, y: HEAD + y * ROW, width: w * COLUMN - GAP, height: h * ROW - GAP };
}

function caption({ name, colour }, index) {
  const x = 560 + index * 290;
  return (
    `<rect x="${x}" y="26" width="16" height="16" fill="${colour}"/>` +
    `<text x="${x + 24}" y="39" ${FONT} font-size="14" fill="#24292e">${name}</text>`
  );
}

function chart({ title, fieldConfig, series }, width, height, seconds, events) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  const [factor, unit] = UNITS[fieldConfig.defaults.unit];
  const scaled = series.map(({ name, data }) => ({
    name,
    data: data.map(([time, value]) => [time, value * factor]),
  }));
  const areas = events.map(({ from, to, colour }) => [
    { xAxis: from, itemStyle: { color: colour } },
    { xAxis: to },
  ]);
  chart.setOption({
    animation: false,
    color: COLOURS,
    title: { text: title, left: 10, top: 8, textStyle: { fontSize: 14, color: "#24292e" } },
    legend: {
      bottom: 4,
      left: 10,
      icon: "rect",
      itemWidth: 14,
      itemHeight: 3,
      data: series.map(({ name }) => name),
    },
    grid: { left: 78, right: 18, top: 40, bottom: 72 },
    xAxis: {
      max: seconds,
      interval: 60,
      axisLabel: { formatter: (value) => `${value / 60} min` },
      splitLine: {},
    },
    yAxis: {
      type: fieldConfig.defaults.custom?.scaleDistribution.type ?? "value",
      min: fieldConfig.defaults.min,
      splitNumber: 4,
      axisLabel: { formatter: `{value} ${unit}` },
    },
    series: [
      ...scaled.map((one) => ({ ...one, type: "line", symbol: "none", lineStyle: { width: 1.5 } })),
      { type: "line", data: [], markArea: { silent: true, data: areas } },
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  // This removes the svg element itself, which gets another place, and the styles for a pointer over it.
  return svg.replace(/<\/?svg[^>]*>|<style.*?<\/style>/gs, "");
}
