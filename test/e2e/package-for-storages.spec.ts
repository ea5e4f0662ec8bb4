import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { npmInstall, pack, packPetstore } from "../support/pack.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

/** A storage in strict TypeScript, as an author outside of this project writes it. */
const STORAGE = `
  import {
    asArchive, isPetConflict, maskPassword, PET_STATUSES, PetConflict, STORAGE_API, storageUnavailable,
    type ArchivedPet, type Creation, type IdempotencyRecord, type LogCall, type NewPet, type Pet, type PetArchive,
    type PetRange, type PetRepository, type PetStatus, type StorageAdapter, type StorageContext, type StorageLog,
    type StorageReading, type StorageSight,
  } from "petstore/storage";

  class AcmePets implements PetRepository {
    private readonly pets: Pet[] = [];
    private readonly keys = new Map<string, { readonly fingerprint: string; readonly pet: Pet }>();
    async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
      const earlier = record && this.keys.get(record.key);
      if (earlier) return { pet: earlier.pet, replayed: earlier.fingerprint };
      const pet: Pet = Object.freeze({ id: BigInt(this.pets.length + 1), name, categoryId, status });
      this.pets.push(pet);
      if (record) this.keys.set(record.key, { fingerprint: record.fingerprint, pet });
      return { pet, replayed: undefined };
    }
    async get(id: bigint): Promise<Pet | undefined> {
      return this.pets.find((pet) => pet.id === id);
    }
    async list({ status, after, limit }: PetRange): Promise<Pet[]> {
      return this.pets.filter((pet) => pet.id > after && (!status || pet.status === status)).slice(0, limit);
    }
    async ping(): Promise<void> {
      if (this.pets.length < 0) throw storageUnavailable(new Error("away"));
    }
    async close(): Promise<void> {}
  }

  const acme: StorageAdapter = {
    api: 1,
    schemes: ["acme"],
    form: "acme:NAME",
    shared: false,
    durable: false,
    check: (url) => (url === "acme:" ? "must have a name" : undefined),
    mask: (url) => maskPassword(url),
    async open(_url: string, { log, addReading }: StorageContext): Promise<PetRepository> {
      log.info({ api: STORAGE_API }, "opened");
      addReading({ name: "acme_up", help: "Whether it is up.", type: "gauge", read: () => 1 });
      return new AcmePets();
    },
  };
  export default acme;

  export type Used = [ArchivedPet, LogCall, PetArchive, PetStatus, StorageLog, StorageReading, StorageSight];
  export const used = [asArchive, isPetConflict, PET_STATUSES, PetConflict];`;

const CONTRACT = `
  import { RuleBroken, STORAGE_CONTRACT, storageOf, whyNotAsked, type ContractCase } from "petstore/storage/contract";
  import acme from "./storage.js";

  declare const console: { log(text: string): void };
  const storage = storageOf(acme, { newUrl: () => "acme:new" });
  const asked: readonly ContractCase[] = STORAGE_CONTRACT.filter(({ needs }) => !whyNotAsked(needs, storage));
  let broken = 0;
  for (const { name, rule, run } of asked) {
    await run(storage).catch((error: unknown) => {
      broken++;
      console.log(name + ": " + rule + (error instanceof RuleBroken ? " " + error.seen : ""));
    });
  }
  console.log(asked.length + " asked, " + broken + " broken");`;

const TSCONFIG = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    types: [],
    strict: true,
    skipLibCheck: false,
    declaration: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
  },
  files: ["storage.ts", "contract.ts"],
};

describe("the package, for the author of a storage,", function () {
  this.timeout(120_000);
  let folder: string;
  let outsider: string;
  let tarball: string;

  before(async () => {
    folder = makeFolder();
    outsider = join(folder, "outsider");
    mkdirSync(outsider);
    tarball = await packPetstore(folder);
    const manifest = {
      name: "petstore-storage-acme",
      version: "1.0.0",
      type: "module",
      exports: "./storage.js",
      files: ["storage.js"],
      peerDependencies: { petstore: "^1.0.0" },
    };
    writeFileSync(join(outsider, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(outsider, "tsconfig.json"), JSON.stringify(TSCONFIG));
    writeFileSync(join(outsider, "storage.ts"), STORAGE);
    writeFileSync(join(outsider, "contract.ts"), CONTRACT);
    await npmInstall(outsider, "--no-save", tarball);
  });
  after(() => removeFolder(folder));

  const tsc = (...args: string[]) =>
    run(process.execPath, [join(process.cwd(), "node_modules/typescript/bin/tsc"), ...args], {
      cwd: outsider,
    });

  it("has types that compile with the strictest options, without the types of any library", async () => {
    const failure = await tsc().catch((error) => error.stdout);
    expect(failure).to.deep.include({ stdout: "" });
    const wrong = STORAGE.replace("api: 1,", "api: 2,");
    writeFileSync(join(outsider, "wrong.ts"), wrong);
    const refused = await tsc("--ignoreConfig", "--noEmit", "--module", "nodenext", "wrong.ts").catch(
      (error) => error,
    );
    expect(refused.stdout).to.match(/wrong\.ts.* error TS2322: Type '2' is not assignable to type '1'/);
  });

  it("has the contract as data, which runs over the outsider's storage", async () => {
    const { stdout } = await run(process.execPath, ["contract.js"], { cwd: outsider });
    expect(stdout).to.match(/^[1-9]\d+ asked, 0 broken\n$/);
  });

  for (const inside of [
    "",
    "/dist/src/container.js",
    "/dist/src/exports/storage.js",
    "/storage.js",
    "/storage/",
  ]) {
    it(`lets nobody import petstore${inside}`, async () => {
      const script = `await import("petstore${inside}").then(() => "imported", ({ code }) => code).then(console.log)`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], {
        cwd: outsider,
      });
      expect(stdout).to.match(/^ERR_(PACKAGE_PATH_NOT_EXPORTED|UNSUPPORTED_DIR_IMPORT)\n$/);
    });
  }

  it("finds the outsider's package beside itself, and serves from it", async () => {
    const prefix = join(folder, "prefix");
    await npmInstall(folder, "--global", "--prefix", prefix, tarball, await pack(outsider, folder));
    const env = {
      PATH: process.env.PATH,
      PETSTORE_STORAGE_ADAPTERS: "petstore-storage-acme",
      PETSTORE_STORAGE: "acme:pets",
    };
    const { stdout } = await run(join(prefix, "bin/petstore"), ["storages", "--json"], { cwd: folder, env });
    expect(JSON.parse(stdout).at(-1)).to.deep.equal({
      schemes: ["acme"],
      form: "acme:NAME",
      shared: false,
      durable: false,
      from: "petstore-storage-acme",
      module: join(prefix, "lib/node_modules/petstore-storage-acme/storage.js"),
    });
    const config = await run(join(prefix, "bin/petstore"), ["config"], { cwd: folder, env });
    expect(config.stdout).to.match(/^PETSTORE_STORAGE +acme:pets +environment$/m);
  });
});
