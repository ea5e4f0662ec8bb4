import "reflect-metadata";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { pino } from "pino";
import { container as globalContainer } from "tsyringe";
import { FileKeyVerifier } from "../src/adapters/keys/file-key-verifier.js";
import { createKeysFile } from "../src/adapters/keys/keys-file.js";
import { MemoryPetRepository } from "../src/adapters/memory/memory-pet-repository.js";
import { buildPetstore, type Petstore, TOKENS } from "../src/container.js";
import { storageUnavailable } from "../src/domain/errors.js";
import { readSettings, type Settings } from "../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../src/storages/built-in.js";
import { captureLog } from "./support/captured-log.js";
import { eventually } from "./support/eventually.js";
import { runProcess } from "./support/run-process.js";
import { FixedKeys } from "./support/start-app.js";
import { makeFolder, removeFolder } from "./support/temporary-folder.js";

const silent = { logger: pino({ level: "silent" }), destination: { write() {} } };

describe("buildPetstore", () => {
  let folder: string;
  let keysFile: string;
  let key: string;
  let built: Petstore[];

  beforeEach(async () => {
    folder = makeFolder();
    keysFile = join(folder, "keys.json");
    key = (await createKeysFile(keysFile)) as string;
    built = [];
  });
  afterEach(async () => {
    for (const { server, close } of built) {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await close();
    }
    removeFolder(folder);
  });

  function settings(environment: Record<string, string> = {}): Settings {
    return readSettings(
      { PETSTORE_STORAGE: "memory:", PETSTORE_KEYS_FILE: keysFile, ...environment },
      BUILT_IN_STORAGES,
    );
  }

  async function build(environment: Record<string, string> = {}): Promise<Petstore> {
    const petstore = await buildPetstore(settings(environment), silent);
    built.push(petstore);
    return petstore;
  }

  async function request({ server }: Petstore, path: string, init: RequestInit = {}) {
    if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
    return { status: response.status, body: await response.text() };
  }

  const rex = { method: "POST", body: '{"name":"Rex","categoryId":7}' };

  for (const storage of ["memory:", "sqlite:pets.db"]) {
    it(`wires the whole program on ${storage}`, async () => {
      const petstore = await build({ PETSTORE_STORAGE: storage.replace("pets.db", join(folder, "pets.db")) });
      const pet = '{"id":1,"name":"Rex","categoryId":7,"status":"available"}';
      const created = await request(petstore, "/v1/pets", rex);
      expect(created.status).to.equal(201);
      expect(JSON.parse(created.body)).to.deep.equal(JSON.parse(pet));
      expect((await request(petstore, "/v1/pets/1")).status).to.equal(200);
      expect(JSON.parse((await request(petstore, "/v1/pets")).body)).to.deep.equal([JSON.parse(pet)]);
      expect((await request(petstore, "/v1/pets", { headers: {} })).status).to.equal(401);
    });
  }

  it("accepts the additional key, and hands the settings on", async () => {
    const petstore = await build({ PETSTORE_API_KEY: "extra", PETSTORE_GET_PET: "removed" });
    const headers = { Authorization: "Bearer extra" };
    expect((await request(petstore, "/v1/pets", { headers })).status).to.equal(200);
    expect((await request(petstore, "/v1/pets/1", { headers })).status).to.equal(410);
  });

  it("makes everything anew each time, in a container that nobody shares", async () => {
    const first = await build();
    const second = await build();
    expect(second.server).to.not.equal(first.server);
    await request(first, "/v1/pets", rex);
    expect((await request(second, "/v1/pets")).body).to.equal("[]");
  });

  it("registers in a container of its own, never the global one, and resolves every token at start", async () => {
    const registered = new Set<unknown>();
    const resolved = new Set<unknown>();
    const { createChildContainer, register } = globalContainer;
    globalContainer.register = () => expect.fail("registered in the global container");
    globalContainer.createChildContainer = () => {
      const child = createChildContainer.call(globalContainer);
      const { register, resolve } = child;
      child.register = ((token: symbol, ...rest: [never]) => {
        expect(registered.has(token), `${String(token)} is registered twice`).to.equal(false);
        registered.add(token);
        return register.call(child, token, ...rest);
      }) as typeof register;
      child.resolve = ((token: symbol) => {
        resolved.add(token);
        return resolve.call(child, token);
      }) as typeof resolve;
      return child;
    };
    try {
      await build();
    } finally {
      Object.assign(globalContainer, { createChildContainer, register });
    }
    expect(registered.size).to.be.greaterThan(6);
    expect([...resolved]).to.have.members([...registered]);
  });

  it("loads the driver of a storage only if that storage is picked", async () => {
    const loadedFor = async (storage: string): Promise<string[]> => {
      const child = runProcess("loaded-libraries", [storage, keysFile]);
      const line = await child.nextLine();
      await child.release();
      return JSON.parse(line) as string[];
    };
    expect(await loadedFor("memory:")).to.deep.equal([]);
    const [driver] = await loadedFor(`sqlite:${join(folder, "pets.db")}`);
    expect(driver).to.match(/@photostructure.sqlite/);
  });

  it("opens every storage but MongoDB that the message about an unknown one names", async () => {
    const message = (() => {
      try {
        return String(settings({ PETSTORE_STORAGE: "redis://127.0.0.1/" }));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    const [, known = ""] = /PETSTORE_STORAGE must be (.*), e\.g\./.exec(message) ?? [];
    const urls = known.split(/,? or |, /);
    expect(urls).to.include("memory:").and.to.include("sqlite:PATH");
    for (const url of urls.filter((url) => !url.includes("mongodb"))) {
      await build({ PETSTORE_STORAGE: url.replace("PATH", join(folder, "pets.db")) });
    }
  });

  it("closes the storage first and the keys last, each once", async () => {
    const petstore = await buildPetstore(settings(), silent);
    const closed: string[] = [];
    const { close: closePets } = MemoryPetRepository.prototype;
    const { close: closeKeys } = FileKeyVerifier.prototype;
    MemoryPetRepository.prototype.close = async function () {
      // Code that does not wait for the storage would close the keys before it.
      await new Promise(setImmediate);
      closed.push("storage");
      return closePets.call(this);
    };
    FileKeyVerifier.prototype.close = function () {
      closed.push("keys");
      closeKeys.call(this);
    };
    try {
      await petstore.close();
    } finally {
      MemoryPetRepository.prototype.close = closePets;
      FileKeyVerifier.prototype.close = closeKeys;
    }
    expect(closed).to.deep.equal(["storage", "keys"]);
  });

  it("asks a closed storage for nothing more", async () => {
    let asked = 0;
    let isClosed = false;
    class AwayPets extends MemoryPetRepository {
      override async ping(): Promise<void> {
        if (isClosed) asked++;
        throw storageUnavailable(new Error("away"));
      }
      override async close(): Promise<void> {
        isClosed = true;
      }
    }
    const petstore = await buildPetstore(settings(), silent, (program) => {
      program.register(TOKENS.storage, { useValue: new AwayPets() });
    });
    await petstore.close();
    await sleep(1200);
    expect(asked).to.equal(0);
  });

  it("closes the keys if it cannot open the storage, and names the remedy", async () => {
    const original = FileKeyVerifier.prototype.close;
    let closed = 0;
    FileKeyVerifier.prototype.close = function (this: FileKeyVerifier) {
      closed++;
      original.call(this);
    };
    try {
      writeFileSync(join(folder, "pets.db"), "no database at all");
      const failure = await build({ PETSTORE_STORAGE: `sqlite:${join(folder, "pets.db")}` }).catch(
        (e: Error) => e,
      );
      expect(failure).to.be.instanceOf(Error);
      expect((failure as Error).message).to.match(/no SQLite database; restore it from a backup/);
      expect(closed).to.equal(1);
    } finally {
      FileKeyVerifier.prototype.close = original;
    }
  });

  it("answers scripts of the origins that the settings name, and logs the client behind the proxies that they name", async () => {
    const { log: logger, destination, lines } = captureLog();
    const origin = "https://app.example.org";
    const named = { PETSTORE_CORS_ORIGINS: origin, PETSTORE_TRUST_PROXY: "loopback" };
    const petstore = await buildPetstore(settings(named), { logger, destination });
    built.push(petstore);
    const { server } = petstore;
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const headers = { Origin: origin, "X-Forwarded-For": "192.0.2.7" };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers });
    expect(answer.headers.get("access-control-allow-origin")).to.equal(origin);
    await eventually(() => lines.some(({ client }) => client === "192.0.2.7") || undefined);
  });

  it("makes a program that is ready once the storage answers and the keys are current", async () => {
    let [away, current] = [true, false];
    const petstore = await buildPetstore(settings({}), silent, (program) => {
      const pets = new MemoryPetRepository();
      pets.ping = async () => {
        if (away) throw storageUnavailable(new Error("away"));
      };
      program.register(TOKENS.storage, { useValue: pets });
      const keys = Object.assign(new FixedKeys(key), { isCurrent: () => current });
      program.register(TOKENS.keyVerifier, { useValue: keys });
    });
    built.push(petstore);
    expect(await petstore.findUnready()).to.equal("storage_unavailable");
    away = false;
    expect(await petstore.findUnready()).to.equal("keys_unreadable");
    current = true;
    expect(await petstore.findUnready()).to.equal(undefined);
  });

  it("lets a caller replace any part before it makes the first one", async () => {
    const pets = new MemoryPetRepository();
    let closed = 0;
    pets.close = async () => {
      closed++;
    };
    const petstore = await buildPetstore(
      settings({ PETSTORE_STORAGE: `sqlite:${folder}`, PETSTORE_KEYS_FILE: join(folder, "missing.json") }),
      silent,
      (program) => {
        program.register(TOKENS.keyVerifier, { useValue: new FixedKeys(key) });
        program.register(TOKENS.storage, { useValue: pets });
      },
    );
    built.push(petstore);
    expect((await request(petstore, "/v1/pets", rex)).status).to.equal(201);
    expect(await pets.get(1n)).to.include({ name: "Rex" });
    await petstore.close();
    await petstore.close();
    expect(closed).to.equal(1);
  });

  it("closes the open parts in reverse order if a part cannot be made, and names the cause", async () => {
    const closed: string[] = [];
    const failing = (name: string) => ({
      close: async () => {
        closed.push(name);
        throw new Error(`${name} does not close`);
      },
    });
    const failure = await buildPetstore(settings(), silent, (program) => {
      program.register(TOKENS.keyVerifier, { useValue: Object.assign(new FixedKeys(), failing("keys")) });
      program.register(TOKENS.storage, {
        useValue: Object.assign(new MemoryPetRepository(), failing("storage")),
      });
      program.register(TOKENS.app, {
        useFactory: () => {
          throw new Error("no application");
        },
      });
    }).catch((error: Error) => error);
    expect((failure as Error).message).to.equal("no application");
    expect(closed).to.deep.equal(["storage", "keys"]);
  });

  for (const storage of ["mongodb://127.0.0.1:1/petstore_test", "sqlite:pets.db"]) {
    it(`lets the process end if a part cannot be made after ${storage} is open`, async () => {
      const child = runProcess("failing-build", [
        storage.replace("pets.db", join(folder, "pets.db")),
        keysFile,
      ]);
      expect(await child.nextLine()).to.equal("no application");
      const timer = setTimeout(() => child.kill(), 60_000);
      expect(await child.ended).to.deep.equal([0, null]);
      clearTimeout(timer);
    });
  }

  it("refuses to start on a damaged file of keys", async () => {
    writeFileSync(keysFile, "{}");
    const failure = await build().catch((e: Error) => e);
    expect((failure as Error).message).to.match(/keys file .* is damaged/);
  });
});
