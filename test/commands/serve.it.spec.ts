import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { Program, startProgram } from "../support/start-program.js";

describe("serve", () => {
  const cwd = inEmptyFolder();

  /** The environment of a service on a storage whose adapter has these members. */
  function storage(name: string, members: string, settings: Record<string, string> = {}) {
    const module = writeModule(cwd(), `${name}.mjs`, outsideStorage(members));
    return { PETSTORE_STORAGE: "acme:x", PETSTORE_STORAGE_ADAPTERS: module, ...settings };
  }

  it("measures Node and the process", async () => {
    const { admin } = await startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: "memory:" } });
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    expect(metrics)
      .to.match(/^nodejs_eventloop_lag_seconds \d/m)
      .and.match(/^process_resident_memory_bytes \d/m);
  });

  it("says that it is read-only", async () => {
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_READ_ONLY: "true" };
    const { stdout } = await startProgram({ cwd: cwd(), env });
    expect(stdout).to.match(/^ +read-only +creates are rejected/m);
  });

  it("logs before the first request that the storage is down, is not ready, and probes no storage that closes", async () => {
    const env = storage(
      "down",
      `async open() {
        const pets = new Pets();
        let isClosing = false;
        pets.ping = async () => {
          if (isClosing) console.error("probed while it closes");
          throw new Error("the cable is out");
        };
        pets.close = () => {
          isClosing = true;
          return new Promise((resolve) => setTimeout(resolve, 1500));
        };
        return storageOf(pets);
      }`,
    );
    const program = await startProgram({ cwd: cwd(), env });
    await program.printed(/the cable is out.*storage unavailable/);
    expect((await fetch(`${program.admin}/readyz`)).status).to.equal(503);
    expect(await program.stop()).to.include({ code: 0, stderr: "" });
  });

  it("ends within its limits if a storage neither opens nor closes, and names it", async () => {
    const opening = new Program({
      cwd: cwd(),
      env: storage(
        "opens",
        'open: () => { console.log("opening"); return new Promise(() => setInterval(() => {}, 1000)); }',
      ),
    });
    const closing = await startProgram({
      cwd: cwd(),
      env: storage(
        "closes",
        "async open() { const pets = new Pets(); pets.close = () => new Promise(() => {}); return storageOf(pets); }",
      ),
    });
    await opening.printed(/^opening$/m);
    const [opened, closed] = await Promise.all([opening.stop(), closing.stop()]);
    expect(opened).to.include({ code: 0, signal: null });
    expect(closed).to.include({ code: 1, signal: null });
    expect(closed.stdout).to.include('"storage":"acme","msg":"the storage did not close in time"');
  });
});
