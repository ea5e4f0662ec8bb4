import { expect } from "chai";
import { get } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { Program, startProgram, statusOf } from "../support/start-program.js";

describe("serve", () => {
  const cwd = inEmptyFolder();

  /** Returns the options of a start on a storage from outside with this body of `open`. */
  function on(name: string, open: string, settings: Record<string, string> = {}) {
    writeModule(cwd(), `${name}.mjs`, outsideStorage(`async open(url, { log, addReading }) { ${open} },`));
    const storage = {
      PETSTORE_STORAGE: "acme://user:s3cret@pets",
      PETSTORE_STORAGE_ADAPTERS: `./${name}.mjs`,
    };
    return { cwd: cwd(), env: { ...storage, ...settings } };
  }

  it("prints its addresses, logs for its storage, and serves readings of the storage, Node and the process", async () => {
    const open = `
      log.warn({ attempt: 1 }, "acme is slow");
      addReading({ name: "acme_connections", help: "Connections.", type: "gauge", read: () => 42 });
      return storageOf(new Pets());`;
    const program = await startProgram(on("acme", open, { PETSTORE_READ_ONLY: "true" }));
    await program.printed(/"attempt":1,"msg":"acme is slow"/);
    expect(program.stdout)
      .to.match(/^ +storage +acme:\/\/user:\*\*\*@pets$/m)
      .and.match(/^ +read-only +creates are rejected/m);
    expect(await get(program, "/v1/pets")).to.include({ status: 200, text: "[]" });
    const metrics = await (await fetch(`${program.admin}/metrics`)).text();
    expect(metrics)
      .to.match(/^acme_connections 42$/m)
      .and.match(/^nodejs_eventloop_lag_seconds \d/m)
      .and.match(/^process_resident_memory_bytes \d/m);
  });

  it("shows no password of a URL in the log, and ends with one message and 1 if its storage fails to close", async () => {
    const open = `
      const fail = async () => { throw new Error("no answer from " + url) };
      const close = async () => { throw new Error("acme holds on") };
      return { pets: { create: fail, get: fail, list: fail }, ping: async () => {}, close };`;
    const program = await startProgram(on("acme", open));
    expect((await get(program, "/v1/pets")).status).to.equal(500);
    await program.printed(/"message":"no answer from acme:\/\/user:\*\*\*@pets/);
    const { code, stdout, stderr } = await program.stop();
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: "petstore: acme holds on\n" });
    expect(stdout).not.to.include("s3cret");
  });

  it("logs before the first request that the storage is down, is not ready, and probes no closing storage", async () => {
    const open = `
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
      return storageOf(pets);`;
    const program = await startProgram(on("acme", open));
    await program.printed(/the cable is out.*storage unavailable/);
    expect(await statusOf(`${program.admin}/readyz`)).to.equal(503);
    expect(await program.stop()).to.include({ code: 0, stderr: "" });
  });

  it("ends within its limits if a storage neither opens nor closes, and names it", async () => {
    const never = "new Promise(() => setInterval(() => {}, 1000))";
    const opening = new Program(on("opens", `console.log("opening"); return ${never};`));
    const closing = await startProgram(
      on("closes", `return { ...storageOf(new Pets()), close: () => ${never} };`),
    );
    await opening.printed(/^opening$/m);
    const [opened, closed] = await Promise.all([opening.stop(), closing.stop()]);
    expect(opened).to.include({ code: 0, signal: null });
    expect(closed).to.include({ code: 1, signal: null });
    expect(closed.stdout).to.include('"storage":"acme","msg":"the storage did not close in time"');
  });
});
