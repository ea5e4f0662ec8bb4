import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";

describe("The OpenAPI document", () => {
  it("passes every recommended rule of Redocly, warnings included", async () => {
    const cli = createRequire(import.meta.url)
      .resolve("@redocly/cli/package.json")
      .replace("package.json", "bin/cli.js");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const lint = [cli, "lint", "--extends", "recommended-strict", "src/adapters/http/docs/openapi.yaml"];
    await promisify(execFile)(process.execPath, lint, { env });
  });
});
