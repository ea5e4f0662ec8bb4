import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { codeAt, EXAMPLES } from "../../../support/api-guide.js";
import { hasTool } from "../../../support/left-out.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const PUBLIC = new URL("../../../../src/adapters/http/docs/public/", import.meta.url);
const DOCUMENT = fileURLToPath(new URL("openapi.json", PUBLIC));
const VENV = `${process.cwd()}/node_modules/.cache/openapi-python-client`;

interface Client {
  readonly needs: string;
  /** Installs the generator in the version that the client's folder pins. */
  readonly install?: string;
  /** What `install` creates. */
  readonly installed?: string;
  readonly generate: string;
  /** Runs a program that uses the client: the sample of docs/api.md in this language, or one in the folder. */
  readonly walk: string;
  readonly language?: string;
}

/** By the folder in `test/generated-client`. */
const CLIENTS: Readonly<Record<string, Client>> = {
  typescript: {
    needs: "npm",
    install: "npm install --no-package-lock --ignore-scripts --no-audit --no-fund",
    installed: "test/generated-client/typescript/node_modules/openapi-typescript",
    // A request may omit a member that has a default.
    generate: `node_modules/.bin/openapi-typescript ${DOCUMENT} --output out/api.d.ts --default-non-nullable false`,
    walk: "node_modules/.bin/tsc && node out/walk.js",
    language: "ts",
  },
  python: {
    needs: "python3",
    install: `python3 -m venv ${VENV} && ${VENV}/bin/pip install --quiet --requirement requirements.txt`,
    installed: `${VENV}/bin/openapi-python-client`,
    // The generator runs ruff from PATH.
    generate: `PATH=${VENV}/bin:$PATH openapi-python-client generate --path ${DOCUMENT} --output-path out --overwrite`,
    walk: `${VENV}/bin/python walk.py`,
  },
  go: {
    needs: "go",
    generate: `mkdir -p out/petstore && go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package petstore -o out/petstore/petstore.go ${DOCUMENT}`,
    // Go adds the requirements of the client's library to a copy of go.mod.
    walk: "cp go.mod out && cd out && go run -mod=mod .",
    language: "go",
  },
};

describe("The OpenAPI document, for tools", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  async function run(command: string, cwd = "."): Promise<string> {
    const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const env = { ...process.env, ...quiet, ORIGIN: app.origin, API_KEY };
    return (await promisify(execFile)("bash", ["-c", command], { cwd, env })).stdout;
  }

  it("passes every recommended rule of Redocly, warnings included", async () => {
    await run("npx redocly lint --extends recommended-strict src/adapters/http/docs/openapi.yaml");
  });

  for (const [folder, { needs, install = "", installed = ".", generate, walk, language }] of Object.entries(
    CLIENTS,
  )) {
    it(`generates a client in ${folder} that creates, and reads the code of an error, without a warning`, async function () {
      if (!hasTool(needs, `the generated client in ${folder}`)) this.skip();
      const cwd = `test/generated-client/${folder}`;
      if (!existsSync(installed)) await run(install, cwd);
      expect(await run(`(${generate}) 2>&1`, cwd)).not.to.match(/warn|skip|error/i);
      const sample = EXAMPLES.find((example) => example.language === language);
      if (sample) writeFileSync(`${cwd}/out/${sample.file}`, codeAt(app.origin, sample));
      expect(await run(walk, cwd)).to.equal(sample?.output ?? "9223372036854775807\npet_not_found\n");
    });
  }
});
