import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { type Program, runProgram, startProgram } from "../support/start-program.js";

const REX = '{"name":"Rex","categoryId":1}';

describe("PETSTORE_READ_ONLY", () => {
  const cwd = inEmptyFolder();

  const start = (env: Record<string, string>) =>
    startProgram({ cwd: cwd(), env: { PETSTORE_API_KEY: E2E_KEY, ...env } });
  const readiness = async ({ admin }: Program) => {
    const response = await fetch(`${admin}/readyz`);
    return [response.status, await response.json()];
  };

  it("true: refuses creates and says why; everything else goes on, and /readyz says so", async () => {
    const program = await start({ PETSTORE_READ_ONLY: "true" });
    const { create, get } = petsClient(program.origin);
    const refused = await create(REX);
    expect(refused.status).to.equal(503);
    expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
    expect(JSON.parse(refused.text)).to.include({ code: "storage_unavailable", status: 503 });
    expect(JSON.parse(refused.text).message).to.match(/^The service is read-only for now/);
    expect((await get("/v1/pets")).status).to.equal(200);
    expect((await get("/v1/pets/1")).status).to.equal(404);
    expect(await readiness(program)).to.deep.equal([200, { ready: true, readOnly: true }]);
    const env = { PETSTORE_ADMIN_PORT: new URL(program.admin).port };
    expect((await runProgram({ cwd: cwd(), args: ["ready"], env })).stdout).to.equal("ready, read-only\n");
    const { stdout } = await runProgram({ cwd: cwd(), args: ["ready", "--json"], env });
    expect(JSON.parse(stdout)).to.deep.equal({ ready: true, readOnly: true, message: "ready, read-only" });
  });
});
