import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { leaveOut } from "../support/left-out.js";
import { API_KEY, type StartedApp, startApp } from "../support/start-app.js";

const CLIENT = new URL("../../../test/generated-client/", import.meta.url);
const DOCUMENT = new URL("../../src/api-document/public/openapi.json", import.meta.url);

async function run(program: string, ...parameters: string[]): Promise<void> {
  const path = fileURLToPath(new URL(`node_modules/${program}`, CLIENT));
  await promisify(execFile)(process.execPath, [path, ...parameters], { cwd: fileURLToPath(CLIENT) });
}

describe("A client generated from the API document", () => {
  let app: StartedApp;

  before(async function () {
    this.timeout(60_000);
    if (!existsSync(new URL("node_modules/openapi-typescript", CLIENT)) && !process.env.CI) {
      leaveOut("the generated client", "npm ci --prefix test/generated-client");
      this.skip();
    }
    app = await startApp();
    // A member with a default may be left out of a request.
    const options = ["--output", "out/api.d.ts", "--default-non-nullable", "false"];
    await run("openapi-typescript/bin/cli.js", fileURLToPath(DOCUMENT), ...options);
    await run("typescript/bin/tsc");
  });
  after(() => app?.close());

  it("lists, pages, creates, gets, and knows the errors", async () => {
    const { walk } = await import(new URL("out/walk.js", CLIENT).href);
    const { created, location, got, pages, orders, refused } = await walk(app.origin, API_KEY);
    expect(created).to.deep.equal({ id: 1, name: "Rex", categoryId: 7, status: "sold" });
    expect(location).to.equal("/v1/pets/1");
    expect(got).to.deep.equal(created);
    expect(pages.map((page: { id: number }[]) => page.map(({ id }) => id))).to.deep.equal([
      [1, 2],
      [3, 4],
      [5],
    ]);
    expect(orders).to.deep.equal([]);
    expect(refused).to.deep.include({ code: "invalid_parameter", status: 400 });
  });
});
