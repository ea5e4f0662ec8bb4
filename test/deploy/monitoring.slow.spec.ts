import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { createKeysFile } from "../../src/adapters/keys/keys-file.js";
import { WorkerMetrics } from "../../src/adapters/metrics/worker-metrics.js";
import type { Petstore } from "../../src/container.js";
import { buildPetstore } from "../../src/container.js";
import { readSettings } from "../../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";
import { hasTool } from "../support/tool.js";

// Mocha runs in the project's own folder.
const ALERTS = readFileSync("deploy/prometheus-alerts.yml", "utf8");
const DASHBOARD = readFileSync("deploy/grafana-dashboard.json", "utf8");

/** The queries of the dashboard's panels in the form that Prometheus gets. */
function queries(): string[] {
  const { panels } = JSON.parse(DASHBOARD) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")),
  );
}

/** Starts the whole program, so that the metrics of all its parts are there. */
async function buildOnSqlite(): Promise<Petstore> {
  const folder = makeFolder();
  const keysFile = join(folder, "keys.json");
  await createKeysFile(keysFile);
  const settings = readSettings(
    { PETSTORE_STORAGE: `sqlite:${join(folder, "pets.db")}`, PETSTORE_KEYS_FILE: keysFile },
    BUILT_IN_STORAGES,
  );
  const logger = pino({ level: "silent" });
  const petstore = await buildPetstore(settings, { logger, destination: { write() {} } });
  return {
    ...petstore,
    async close() {
      await petstore.close();
      removeFolder(folder);
    },
  };
}

describe("deploy/", () => {
  it("has alerts and a dashboard that use only metrics that the program has", async () => {
    const { metrics, close } = await buildOnSqlite();
    metrics.requestStarted();
    const request = { operation: "getPet", method: "GET", status: 503, key: "app", seconds: 1 };
    metrics.requestFinished({ ...request, code: "overloaded" });
    metrics.storageOperation("get", 1, true);
    const { text } = await metrics.read();
    await close();
    const ofWorkers = await new WorkerMetrics(pino({ level: "silent" })).read([]);
    const known = new Set([...(text + ofWorkers.text).matchAll(/^([a-z_]+)[{ ]/gm)].map(([, name]) => name));
    const named = `${ALERTS}${DASHBOARD}`.match(/\b(petstore|nodejs|process)_[a-z0-9_]+\b/g) ?? [];
    const missing = [...new Set(named)].filter((name) => !known.has(name) && !/_p\d+_seconds$/.test(name));
    expect(named.length).to.be.greaterThan(20);
    expect(missing).to.deep.equal([]);
    expect(text)
      .to.include("nodejs_eventloop_lag_p99_seconds")
      .and.to.include("nodejs_eventloop_lag_p50_seconds");
  });

  it("has alert rules that fire when they should and at no other time, as promtool finds", function () {
    if (!hasTool("promtool", "alert rules, and the queries of the dashboard")) this.skip();
    const output = execFileSync("promtool", ["test", "rules", "deploy/prometheus-alerts.test.yml"]);
    expect(String(output)).to.include("SUCCESS");
    expect(String(execFileSync("promtool", ["check", "rules", "deploy/prometheus-alerts.yml"]))).to.match(
      /\b11 rules/,
    );
  });

  it("has a dashboard whose queries Prometheus understands, as promtool finds", function () {
    if (!hasTool("promtool", "alert rules, and the queries of the dashboard")) this.skip();
    const folder = makeFolder();
    const rules = queries().map((expr, index) => ({ record: `panel:query${index}`, expr }));
    // JSON is valid YAML.
    writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    try {
      const output = String(execFileSync("promtool", ["check", "rules", join(folder, "rules.yml")]));
      expect(output).to.include(`${rules.length} rules found`);
    } finally {
      removeFolder(folder);
    }
  });

  it("has a dashboard that shows 0 as the share of 5xx if nothing failed, as promtool finds", function () {
    if (!hasTool("promtool", "alert rules, and the queries of the dashboard")) this.skip();
    const folder = makeFolder();
    const expr = queries().find((query) => query.includes("5.."));
    const tests = [
      {
        interval: "15s",
        input_series: [
          { series: 'petstore_http_requests_total{instance="a", status="200"}', values: "0+9x20" },
        ],
        promql_expr_test: [{ expr, eval_time: "4m", exp_samples: [{ labels: "{}", value: 0 }] }],
      },
    ];
    writeFileSync(join(folder, "test.yml"), JSON.stringify({ tests }));
    try {
      expect(String(execFileSync("promtool", ["test", "rules", join(folder, "test.yml")]))).to.include(
        "SUCCESS",
      );
    } finally {
      removeFolder(folder);
    }
  });
});
