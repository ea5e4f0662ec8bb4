import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { runProgram, startProgram } from "../support/start-program.js";

const ALERTS = readFileSync("deploy/prometheus-alerts.yml", "utf8");
const DASHBOARD = readFileSync("deploy/grafana-dashboard.json", "utf8");

describe("The alerts and the dashboard of deploy/", () => {
  const folder = inEmptyFolder();

  it("use only series that exist from the start", async () => {
    const options = { cwd: folder(), env: { PETSTORE_KEYS_FILE: "keys.json" } };
    await runProgram({ ...options, args: ["keys", "add", "app", "--expires", "30d"] });
    const program = await startProgram(options);
    const samples = (await (await fetch(`${program.admin}/metrics`)).text()).split("\n");
    const selectors =
      `${ALERTS}${DASHBOARD}`.replaceAll('\\"', '"').match(/\b(petstore|nodejs|process)_\w+(\{[^}]*)?/g) ??
      [];
    expect(selectors.length).to.be.greaterThan(30);
    const missing = selectors.filter((selector) => {
      const [name = "", labels = ""] = selector.split("{");
      const pairs = labels.match(/\b(?!job=|instance=)\w+="[^"]*"/g) ?? [];
      return !samples.some(
        (sample) => /^\w+/.exec(sample)?.[0] === name && pairs.every((pair) => sample.includes(pair)),
      );
    });
    expect(missing).to.deep.equal([]);
  });

  it("are listed with their remedies in the document that each alert links to", () => {
    const text = readFileSync("docs/observability.md", "utf8");
    expect(ALERTS).to.include("/docs/observability.md#dashboard-and-alerts");
    expect(text).to.include("## Dashboard and alerts");
    const [...alerts] = ALERTS.matchAll(/- alert: (\w+)/g);
    expect(alerts).to.have.length(ALERTS.split("runbook_url:").length - 1);
    for (const [, alert] of alerts) expect(text).to.include(`| ${alert} |`);
  });

  describe("checked by promtool", () => {
    needTools("alert rules, and the queries of the dashboard", "promtool");
    const promtool = (command: string, path: string) =>
      execFileSync("promtool", [command, "rules", path], { encoding: "utf8" });

    it("fire when they should, and only then", () => {
      expect(promtool("test", "test/deploy/prometheus-alerts.test.yml")).to.include("SUCCESS");
    });

    it("have valid queries", () => {
      const { panels } = JSON.parse(DASHBOARD) as { panels: { targets: { expr: string }[] }[] };
      const rules = panels
        .flatMap(({ targets }) => targets)
        .map(({ expr }, index) => ({
          record: `panel:query${index}`,
          expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"),
        }));
      const path = join(folder(), "dashboard.yml");
      writeFileSync(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
      expect(promtool("check", path)).to.include(`${rules.length} rules found`);
    });
  });
});
