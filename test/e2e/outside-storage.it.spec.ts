import { expect } from "chai";
import { get } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";
import { runProgram, startProgram } from "../support/start-program.js";

describe("The program, with a storage from outside", () => {
  const cwd = inEmptyFolder();

  /** Settings that choose the storage, whose module has this source. */
  function acme(changes?: string): Record<string, string> {
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
    expect(await program.metric("acme_connections")).to.equal(42);
    await program.printed(/"attempt":1,"msg":"acme is slow"/);
  });

  for (const command of ["storages --json", "conformance acme:x --json"]) {
    it(`keeps what the module prints out of the result of petstore ${command}`, async () => {
      const args = command.split(" ");
      const source = `${outsideStorage("shared: false")} console.log("acme loads");`;
      const env = { PETSTORE_STORAGE_ADAPTERS: writeModule(cwd(), "acme.mjs", source) };
      const { stdout, stderr } = await runProgram({ cwd: cwd(), args, env });
      if (args[0] === "storages") expect(JSON.parse(stdout).at(-1)).to.include({ form: "acme:NAME" });
      expect(() => JSON.parse(stdout), stdout).not.to.throw();
      expect(stderr).to.match(/^acme loads$/m);
    });
  }

  it("gets a result of petstore conformance, though its close rejects", async () => {
    const open = `open: async () => ({ ...storageOf(new Pets()), close: async () => { throw new Error("acme holds on") } })`;
    const env = { PETSTORE_STORAGE_ADAPTERS: writeModule(cwd(), "acme.mjs", outsideStorage(open)) };
    const { code, stdout } = await runProgram({
      cwd: cwd(),
      args: ["conformance", "acme:{n}", "--json"],
      env,
    });
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.include({ held: 0 });
    expect(stdout).to.include("close() rejected with Error: acme holds on");
  });

  it("ends with the message of its error, also if that is its own cause", async () => {
    const open = `open: async () => {
      const error = new Error("no acme at user:s3cret@pets");
      error.cause = error;
      throw error;
    }`;
    const { code, stderr } = await runProgram({ cwd: cwd(), args: ["serve"], env: acme(open) });
    expect(code).to.equal(1);
    expect(stderr).to.include("no acme at user:***@pets");
  });

  it("shows no password in the log if operations fail with its URL", async () => {
    const open = `async open(url) {
        const fail = async () => { throw new Error("no answer from " + url, { cause: new Error("as user:s3cret@pets") }) };
        return { pets: { create: fail, get: fail, list: fail }, ping: async () => {}, close: fail };
      }`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect((await get(program, "/v1/pets")).status).to.equal(500);
    await program.printed(/"message":"no answer from acme:\/\/user:\*\*\*@pets: as user:\*\*\*@pets"/);
    const { stderr } = await program.stop();
    expect(stderr).to.match(/no answer from acme:\/\/user:\*\*\*@pets/);
    expect(program.stdout + stderr).to.not.include("s3cret");
  });

  it("ends with one message, which names the cause, if the storage does not close", async () => {
    const open = `open: async () => {
      const pets = new Pets();
      pets.close = async () => { throw new Error("acme holds on") };
      return storageOf(pets);
    }`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect(await program.stop()).to.include({ code: 1, stderr: "petstore: acme holds on\n" });
    expect(program.stdout).not.to.include('"msg":"stopped"');
  });

  it("ends, and says so, if the storage never closes", async () => {
    const open = `open: async () => {
      const pets = new Pets();
      pets.close = () => new Promise(() => {});
      return storageOf(pets);
    }`;
    const program = await startProgram({ cwd: cwd(), env: acme(open) });
    expect((await program.stop()).code).to.equal(1);
    expect(program.stdout).to.include("the storage does not close").and.not.include('"msg":"stopped"');
  });

  it("closes both sides of a copy, and tells why the copy ended, even if one side does not close", async () => {
    const storage = import.meta.resolve("../../src/storage-kit/storage.js");
    const open = `durable: true, open: async (url, { log }) => {
      log.warn({ attempt: 1 }, "acme is slow");
      const { PetConflict } = await import("${storage}");
      const pets = new Pets();
      await pets.create({ name: "Rex", categoryId: 1n, status: "sold" });
      if (url.includes("to")) {
        pets.readPets = async () => [];
        pets.storePets = async () => { throw new PetConflict(1n) };
      }
      pets.close = async () => {
        console.error("closes " + url);
        if (url.includes("from")) throw new Error("acme holds on");
      };
      return storageOf(pets);
    }`;
    const args = ["copy", "acme:from", "acme:to"];
    const { code, stderr } = await runProgram({ cwd: cwd(), args, env: acme(open) });
    expect(code).to.equal(1);
    expect(stderr).to.include("closes acme:from").and.include("closes acme:to");
    expect(stderr)
      .to.match(/^FROM: acme is slow$/m)
      .and.match(/^TO: acme is slow$/m);
    expect(stderr).to.include("FROM: does not close: acme holds on\n");
    const told = /^petstore: TO has other content under the id of pet 1, .*: end the other program/m;
    expect(stderr).to.match(told);
  });

  it("lists the storage among the others", async () => {
    const listed = await runProgram({ cwd: cwd(), args: ["storages"], env: acme() });
    expect(listed).to.deep.include({ code: 0, stderr: "" });
    expect(listed.stdout)
      .to.match(/^SCHEMES +FORM +SHARED +DURABLE +FROM\nmemory +memory: +no +no +built in\n/)
      .and.match(/^acme +acme:NAME +yes +no +\.\/storages\/acme\.mjs \(\/.*\/storages\/acme\.mjs\)$/m);
  });
});
