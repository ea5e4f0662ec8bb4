import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { get } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram } from "../support/start-program.js";

describe("petstore serve --instance", () => {
  const cwd = inEmptyFolder();

  it("shares a SQLite file with the other instances, and marks each line of its log", async () => {
    const instances = await Promise.all(
      ["1", "2"].map((name) => startProgram({ cwd: cwd(), args: ["serve", "--instance", name] })),
    );
    for (const [index, program] of instances.entries()) {
      expect((await get(program, "/v1/pets")).status).to.equal(200);
      await program.stop();
      const lines = program.stdout.split("\n").filter((line) => line.startsWith("{"));
      expect(lines.map((line) => JSON.parse(line).msg)).to.include.members(["request", "stopped"]);
      expect(lines.every((line) => JSON.parse(line).instance === String(index + 1))).to.equal(true);
    }
  });

  it("refuses a storage that several processes cannot share, and makes nothing", async () => {
    const env = { PETSTORE_STORAGE: "memory:" };
    const ended = await runProgram({ cwd: cwd(), args: ["serve", "--instance", "2"], env });
    expect(ended.code).to.equal(2);
    expect(ended.stderr).to.match(/^petstore: The instance 2 cannot use memory:, which .*\n$/);
    expect(existsSync(join(cwd(), "data"))).to.equal(false);
  });

  for (const name of ["", "a b", "x".repeat(65)]) {
    it(`refuses the name ${JSON.stringify(name)}`, async () => {
      const { code, stderr } = await runProgram({ cwd: cwd(), args: ["serve", "--instance", name] });
      expect(code).to.equal(2);
      expect(stderr).to.include("A name has 1 to 64 letters");
    });
  }
});
