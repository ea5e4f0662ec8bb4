import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { createKeysFile } from "../../src/adapters/keys/change-keys-file.js";
import { FileKeyStore } from "../../src/adapters/keys/file-key-store.js";
import { buildPetstore } from "../../src/container.js";
import { readSettings } from "../../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/tool.js";

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

describe("deploy/", () => {
  const folder = inEmptyFolder();

  it("has alerts and a dashboard that use only metrics that the program has", async () => {
    const keysFile = join(folder(), "keys.json");
    await createKeysFile(keysFile);
    await new FileKeyStore(keysFile, false).add("expiring", "2100-01-01T00:00:00.000Z");
    const PETSTORE_STORAGE = `sqlite:${join(folder(), "pets.db")}`;
    const environment = { PETSTORE_STORAGE, PETSTORE_KEYS_FILE: keysFile };
    const logger = pino({ level: "silent" });
    const settings = readSettings(environment, BUILT_IN_STORAGES);
    const { metrics, close } = await buildPetstore(settings, logger);
    metrics.requestStarted();
    const request = { operation: "getPet", method: "GET", status: 503, key: "app", seconds: 1 };
    metrics.requestFinished({ ...request, isDeprecated: true, code: "overloaded" });
    metrics.storageOperation("get", 1, true);
    const { text } = await metrics.read();
    await close();
    const known = new Set([...text.matchAll(/^([a-z_]+)[{ ]/gm)].map(([, name]) => name));
    const named = `${ALERTS}${DASHBOARD}`.match(/\b(petstore|nodejs|process)_[a-z0-9_]+\b/g) ?? [];
    const missing = [...new Set(named)].filter((name) => !known.has(name) && !/_p\d+_seconds$/.test(name));
    expect(named.length).to.be.greaterThan(20);
    expect(missing).to.deep.equal([]);
    expect(text)
      .to.include("nodejs_eventloop_lag_p99_seconds")
      .and.to.include("nodejs_eventloop_lag_p50_seconds");
  });

  describe("has, as promtool finds,", () => {
    needTools("alert rules, and the queries of the dashboard", "promtool");

    /** Gives what `promtool` prints about a file; JSON is valid YAML. */
    function promtool(command: "check" | "test", content: unknown): string {
      const file = join(folder(), `${command}.yml`);
      writeFileSync(file, JSON.stringify(content));
      return execFileSync("promtool", [command, "rules", file], { encoding: "utf8" });
    }

    it("alert rules that fire when they should and at no other time", () => {
      const tested = execFileSync("promtool", ["test", "rules", "deploy/prometheus-alerts.test.yml"]);
      expect(String(tested)).to.include("SUCCESS");
      const checked = execFileSync("promtool", ["check", "rules", "deploy/prometheus-alerts.yml"]);
      expect(String(checked)).to.match(/\b13 rules/);
    });

    it("a dashboard whose queries Prometheus understands", () => {
      const rules = queries().map((expr, index) => ({ record: `panel:query${index}`, expr }));
      const groups = [{ name: "dashboard", rules }];
      expect(promtool("check", { groups })).to.include(`${rules.length} rules found`);
    });

    it("a dashboard that shows 0 as the share of 5xx if nothing failed", () => {
      const expr = queries().find((query) => query.includes("5.."));
      const series = 'petstore_http_requests_total{instance="a", status="200"}';
      const test = {
        interval: "15s",
        input_series: [{ series, values: "0+9x20" }],
        promql_expr_test: [{ expr, eval_time: "4m", exp_samples: [{ labels: "{}", value: 0 }] }],
      };
      expect(promtool("test", { tests: [test] })).to.include("SUCCESS");
    });
  });
});
