import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { allPets, get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { OddDisk } from "../support/odd-disk.js";
import { startProgram, statusOf } from "../support/start-program.js";

describe("The program, on a disk that stands still", () => {
  needTools("slow disks", "cc");
  const cwd = inEmptyFolder();

  it("answers creates with 503, goes on with all else, and heals", async () => {
    const disk = new OddDisk(cwd());
    const program = await startProgram({ cwd: cwd(), env: { ...disk.env } });
    const acknowledged: string[] = [];
    let refused = 0;
    let isRunning = true;
    const clients = Array.from({ length: 6 }, async (_, client) => {
      for (let n = 0; isRunning; n++) {
        const { status, text } = await post(program, `{"name":"${client} ${n}","categoryId":1}`);
        expect(status, text).to.be.oneOf([201, 503]);
        if (status === 201) acknowledged.push(text);
        else refused++;
        await sleep(20);
      }
    });
    const isReady = async () => (await statusOf(`${program.admin}/readyz`)) === 200;
    await until(() => acknowledged.length > 20);
    const [first] = await allPets(program);
    disk.behave("hangs");
    await until(async () => !(await isReady()));
    // Longer than every time limit of the storage.
    for (const end = performance.now() + 10_000; performance.now() < end; await sleep(100)) {
      expect((await get(program, "/v1/pets?limit=1")).text).to.equal(`[${first}]`);
      expect(await statusOf(`${program.admin}/livez`)).to.equal(200);
      expect(await isReady()).to.equal(false);
    }
    disk.behave();
    const before = acknowledged.length;
    await until(async () => acknowledged.length > before && (await isReady()));
    isRunning = false;
    await Promise.all(clients);
    expect(refused).to.be.greaterThan(10);
    expect(await allPets(program)).to.include.members(acknowledged);
    await program.stop();
    // The cause is in the log once, however many creates it failed.
    expect(program.stdout.match(/"level":50,.*"err":/g)?.length).to.be.within(1, 2);
  });
});
