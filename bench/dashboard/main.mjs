import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { draw } from "./draw.mjs";
import { load, overload } from "./load.mjs";

// Runs the service for five minutes under a load, asks Prometheus what the dashboard's panels ask, and draws them.

const ROOT = join(import.meta.dirname, "../..");
const ORIGIN = "http://127.0.0.1:3470";
const ADMIN = "http://127.0.0.1:3471";
const PROMETHEUS = "http://127.0.0.1:3472";
const KEY = "petstore_dashboard";
const SECONDS = 300;
const STEP = 2;
/** The interval that Grafana chooses if Prometheus scrapes every 2 s. */
const RATE_INTERVAL = "8s";

const folder = mkdtempSync(join(tmpdir(), "petstore-dashboard-"));
const database = join(folder, "petstore.db");
const service = spawn(process.execPath, [join(ROOT, "dist/src/main.js"), "serve"], {
  env: {
    PATH: process.env.PATH,
    PETSTORE_PORT: "3470",
    PETSTORE_ADMIN_PORT: "3471",
    PETSTORE_STORAGE: `sqlite:${database}`,
    PETSTORE_KEYS_FILE: join(folder, "keys.json"),
    PETSTORE_API_KEY: KEY,
    PETSTORE_WORKERS: "2",
    PETSTORE_MAX_IN_FLIGHT: "50",
  },
  stdio: ["ignore", "ignore", "inherit"],
});
const prometheus = spawn(
  "prometheus",
  [
    `--config.file=${join(import.meta.dirname, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "prometheus")}`,
    `--web.listen-address=${new URL(PROMETHEUS).host}`,
    "--log.level=error",
  ],
  { stdio: "inherit" },
);
let endOverload;
let lock;
const events = [
  {
    name: "SIGHUP replaces the workers",
    colour: "#37872d33",
    from: 60,
    to: 64,
    begin: () => service.kill("SIGHUP"),
  },
  {
    name: "more at once than it takes on",
    colour: "#e0752d33",
    from: 120,
    to: 150,
    begin: () => {
      endOverload = overload(ORIGIN, KEY);
    },
    end: () => endOverload(),
  },
  {
    name: "the database is locked",
    colour: "#c4162a2b",
    from: 210,
    to: 230,
    begin: () => {
      lock = new DatabaseSync(database);
      lock.exec("BEGIN IMMEDIATE");
    },
    end: () => lock.close(),
  },
];

try {
  await ready(`${ADMIN}/readyz`);
  await ready(`${PROMETHEUS}/-/ready`);
  const start = Math.ceil(Date.now() / 1000);
  console.log(await load(ORIGIN, KEY, SECONDS, events));
  const { title, panels } = JSON.parse(readFileSync(join(ROOT, "deploy/grafana-dashboard.json"), "utf8"));
  for (const panel of panels) {
    panel.series = (await Promise.all(panel.targets.map((target) => query(target, start)))).flat();
    if (panel.series.length === 0) throw new Error(`The panel ${panel.title} shows nothing.`);
  }
  writeFileSync(join(ROOT, "docs/dashboard.svg"), draw(title, panels, SECONDS, events));
} finally {
  for (const child of [service, prometheus]) if (child.kill()) await once(child, "exit");
  rmSync(folder, { recursive: true });
}

async function ready(url) {
  for (let tries = 0; tries < 50; tries++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(200);
  }
  throw new Error(`${url} does not answer.`);
}

/** Asks Prometheus as Grafana would. Answers series of [second of the run, value]. */
async function query({ expr, legendFormat }, start) {
  const query = expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", RATE_INTERVAL);
  const range = new URLSearchParams({ query, start, end: start + SECONDS, step: STEP });
  const { data } = await (await fetch(`${PROMETHEUS}/api/v1/query_range?${range}`)).json();
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? ""),
    data: values.map(([time, value]) => [time - start, Number(value)]),
  }));
}
