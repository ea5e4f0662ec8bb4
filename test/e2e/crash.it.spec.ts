import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { until } from "../support/eventually.js";
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

  it("has every pet that it acknowledged, though its write-ahead log was deleted before it was killed", async () => {
    const env = { PETSTORE_PORT: String(await freePort()) };
    let program = await startProgram({ cwd: cwd(), env });
    const load = new Load(program, { restarts: true });
    await until(() => load.acknowledged.size > 100);
    rmSync(join(cwd(), "data", "petstore.db-wal"));
    await until(async () => (await program.readiness()) === 503);
    const acknowledged = load.acknowledged.size;
    await sleep(1000);
    expect(load.acknowledged.size).to.equal(acknowledged);
    expect(await program.stop("SIGKILL")).to.include({ signal: "SIGKILL" });
    program = await startProgram({ cwd: cwd(), env });
    await load.healedAfter(performance.now(), "a start");
    await load.verify();
  });
});
