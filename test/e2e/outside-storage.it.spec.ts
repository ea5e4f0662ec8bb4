import { expect } from "chai";
import { get } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { startProgram } from "../support/start-program.js";

// `petstore storages`, `copy` and `conformance` with such a storage are in their own files.
describe("The service, with a storage from outside", () => {
  const cwd = inEmptyFolder();

  /** Settings that choose the storage, whose adapter has these changes. */
  function acme(changes: string): Record<string, string> {
    writeModule(cwd(), "storages/acme.mjs", outsideStorage(changes));
    return { PETSTORE_STORAGE: "acme://user:s3cret@pets", PETSTORE_STORAGE_ADAPTERS: "./storages/acme.mjs" };
  }

  it("serves from it, its readings are among the metrics, and its lines in the log", async () => {
    const open = `open: async (url, { log, addReading }) => {
      log.warn({ attempt: 1 }, "acme is slow");
      addReading({ name: "acme_connections", help: "Connections.", type: "gauge", read: () => 42 });
      return storageOf(new Pets());
    }`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect(program.stdout).to.match(/^ +storage +acme:\/\/user:\*\*\*@pets$/m);
    expect(await get(program, "/v1/pets")).to.include({ status: 200, text: "[]" });
    const metrics = await (await fetch(`${program.admin}/metrics`)).text();
    expect(metrics).to.match(/^acme_connections 42$/m);
    await program.printed(/"attempt":1,"msg":"acme is slow"/);
  });

  it("shows no password in the log if operations fail with its URL", async () => {
    const open = `async open(url) {
        const fail = async () => { throw new Error("no answer from " + url) };
        return { pets: { create: fail, get: fail, list: fail }, ping: async () => {}, close: async () => {} };
      }`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect((await get(program, "/v1/pets")).status).to.equal(500);
    await program.printed(/"message":"no answer from acme:\/\/user:\*\*\*@pets/);
    const { stderr } = await program.stop();
    expect(program.stdout + stderr).to.not.include("s3cret");
  });

  it("ends with one message and exit code 1 if it does not close", async () => {
    const open = `open: async () => ({
      ...storageOf(new Pets()),
      close: async () => { throw new Error("acme holds on") },
    })`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect(await program.stop()).to.include({ code: 1, stderr: "petstore: acme holds on\n" });
  });
});
