import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { codeAt, EXAMPLES } from "../../../support/api-guide.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";
import { hasTool } from "../../../support/tool.js";

const DOCUMENT = fileURLToPath(
  new URL("../../../../src/adapters/http/docs/public/openapi.json", import.meta.url),
);
const GO_GENERATOR = "go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const VENV = `${process.cwd()}/node_modules/.cache/openapi-python-client`;

interface Generator {
  /** The program without which the client is left out. */
  readonly needs: string;
  /** Commands that install the generator in the version that its folder pins, and what is there once they have run. */
  readonly install: readonly string[];
  readonly installed: string;
  readonly generate: string;
  /** Runs a program that uses the client: that of docs/api.md, or one in the folder. */
  readonly walk: string;
  readonly language: string;
}

/** By their folder in `test/generated-client`. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  typescript: {
    needs: "npm",
    install: ["npm install --no-package-lock --ignore-scripts --no-audit --no-fund"],
    installed: "test/generated-client/typescript/node_modules/openapi-typescript",
    // A request may leave out a member that has a default.
    generate: `node_modules/.bin/openapi-typescript ${DOCUMENT} --output out/api.d.ts --default-non-nullable false`,
    walk: "node_modules/.bin/tsc && node out/walk.js",
    language: "ts",
  },
  python: {
    needs: "python3",
    install: [`python3 -m venv ${VENV}`, `${VENV}/bin/pip install --quiet --requirement requirements.txt`],
    installed: `${VENV}/bin/openapi-python-client`,
    // It calls ruff by its name.
    generate: `PATH=${VENV}/bin:$PATH openapi-python-client generate --path ${DOCUMENT} --output-path out --overwrite`,
    walk: `${VENV}/bin/python walk.py`,
    language: "",
  },
  go: {
    needs: "go",
    install: [],
    installed: "",
    generate: `mkdir -p out/petstore && ${GO_GENERATOR} -generate types,client -package petstore -o out/petstore/petstore.go ${DOCUMENT}`,
    // Go adds what the client's library needs to a copy of go.mod; the versions follow from that of the library.
    walk: "cp go.mod out && cd out && go run -mod=mod .",
    language: "go",
  },
};

describe("A client generated from the API document", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  for (const [folder, { needs, install, installed, generate, walk, language }] of Object.entries(
    GENERATORS,
  )) {
    it(`in ${folder} creates, and gets an error with its code; the generator warns of nothing`, async function () {
      if (!hasTool(needs, `the generated client in ${folder}`)) this.skip();
      const cwd = `test/generated-client/${folder}`;
      const run = async (command: string) => {
        const env = { ...process.env, ORIGIN: app.origin, API_KEY };
        return promisify(execFile)("bash", ["-c", command], { cwd, env });
      };
      if (!existsSync(installed)) for (const command of install) await run(command);
      const { stdout, stderr } = await run(generate);
      expect(stdout + stderr).not.to.match(/warn|skip|error/i);
      const sample = EXAMPLES.find((example) => example.language === language);
      if (sample) writeFileSync(`${cwd}/out/${sample.file}`, codeAt(app.origin, sample));
      const { stdout: seen } = await run(walk);
      expect(seen).to.equal(sample?.output ?? "9223372036854775807\npet_not_found\n");
    });
  }
});
