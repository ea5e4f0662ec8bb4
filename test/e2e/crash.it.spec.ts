import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { Load } from "../support/load.js";
import { startProgram } from "../support/start-program.js";

describe("The program, on a SQLite file", () => {
  const cwd = inEmptyFolder();

  it("has every pet that it acknowledged, exactly, each time it was killed in the middle of creates", async () => {
    const env = { PETSTORE_PORT: String(await freePort()) };
    let program = await startProgram({ cwd: cwd(), env });
    const load = new Load(program, { restarts: true });
    for (let round = 0; round < 3; round++) {
      await load.healedAfter(performance.now(), "a start");
      await sleep(200 + 70 * round);
      expect(await program.stop("SIGKILL")).to.include({ signal: "SIGKILL" });
      program = await startProgram({ cwd: cwd(), env });
    }
    await load.healedAfter(performance.now(), "a start");
    await load.verify();
  });
});
