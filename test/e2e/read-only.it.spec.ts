import { expect } from "chai";
import { get, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram } from "../support/start-program.js";

describe("PETSTORE_READ_ONLY", () => {
  const cwd = inEmptyFolder();

  it("true: refuses creates and says why; everything else goes on, and /readyz says so", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_READ_ONLY: "true" } });
    const refused = await post(program, '{"name":"Rex","categoryId":1}');
    expect(JSON.parse(refused.text)).to.include({ code: "storage_unavailable", status: 503 });
    expect(JSON.parse(refused.text).message).to.match(/^The service is read-only for now/);
    expect((await get(program, "/v1/pets")).status).to.equal(200);
    const readyz = await fetch(`${program.admin}/readyz`);
    expect([readyz.status, await readyz.json()]).to.deep.equal([200, { ready: true, readOnly: true }]);
    const env = { PETSTORE_ADMIN_PORT: new URL(program.admin).port };
    expect((await runProgram({ cwd: cwd(), args: ["ready"], env })).stdout).to.equal("ready, read-only\n");
    const { stdout } = await runProgram({ cwd: cwd(), args: ["ready", "--json"], env });
    expect(JSON.parse(stdout)).to.deep.equal({ ready: true, readOnly: true, message: "ready, read-only" });
  });
});
