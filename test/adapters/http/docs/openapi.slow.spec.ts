import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "chai";
import { codeAt, EXAMPLES } from "../../../support/api-guide.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const CLIENT = "test/generated-client";

describe("The OpenAPI document, for tools", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  async function run(command: string, cwd = "."): Promise<string> {
    const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const env = { ...process.env, ...quiet, API_KEY };
    return (await promisify(execFile)("bash", ["-c", command], { cwd, env })).stdout;
  }

  it("passes every recommended rule of Redocly, warnings included", async () => {
    await run("npx redocly lint --extends recommended-strict src/adapters/http/docs/openapi.yaml");
  });

  it("generates a client in TypeScript that runs the sample of docs/api.md, without a warning", async () => {
    await run("npm install --no-package-lock --ignore-scripts --no-audit --no-fund", CLIENT);
    // A request may omit a member that has a default.
    const generate = `npx openapi-typescript ${app.origin}/openapi.json --output out/api.d.ts --default-non-nullable false`;
    expect(await run(`${generate} 2>&1`, CLIENT)).not.to.match(/warn|skip|error/i);
    const sample = EXAMPLES.find(({ language }) => language === "ts");
    writeFileSync(`${CLIENT}/out/walk.ts`, sample ? codeAt(app.origin, sample) : "");
    expect(await run("npx tsc && node out/walk.js", CLIENT)).to.equal(sample?.output);
  });
});
