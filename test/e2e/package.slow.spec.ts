import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { get } from "../support/client.js";
import { npmInstall, packPetstore } from "../support/pack.js";
import { endPrograms, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

/** A component as CycloneDX describes it. */
interface Component {
  readonly name: string;
  readonly group?: string;
  readonly properties: unknown;
}

describe("the package", () => {
  let folder: string;
  let tarball: string;
  let prefix: string;
  let program: string;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
    // As docs/operations.md says.
    prefix = join(folder, "prefix");
    await npmInstall(folder, "--global", "--prefix", prefix, tarball);
    program = join(prefix, "bin/petstore");
  });
  after(async () => {
    await endPrograms();
    removeFolder(folder);
  });

  it("holds no source map, no test, and no path of the machine that made it", async () => {
    const contents = join(folder, "contents");
    mkdirSync(contents);
    await run("tar", ["-xzf", tarball, "-C", contents]);
    const files = readdirSync(contents, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    expect(paths).to.include(join(contents, "package/dist/src/main.js"));
    const unwanted = /\.map$|(?<!\.d)\.ts$|\.test\.|\.spec\.|\/test\//;
    expect(paths.filter((path) => unwanted.test(path.slice(contents.length)))).to.deep.equal([]);
    for (const path of paths) {
      const text = readFileSync(path, "utf8");
      expect(text.includes(process.cwd()) || text.includes(homedir()), path).to.equal(false);
    }
  });

  it("lists its dependencies, and marks the ones that only its development needs", async () => {
    const { stdout } = await run("npm", ["run", "--silent", "sbom"]);
    const { components } = JSON.parse(stdout) as { components: Component[] };
    const names = (those: Component[]) => those.map(({ group, name }) => (group ? `${group}/${name}` : name));
    const [development, others] = [true, false].map((marked) =>
      names(
        components.filter(
          ({ properties }) => /npm:package:development/.test(JSON.stringify(properties)) === marked,
        ),
      ),
    );
    expect(others).to.include.members(
      Object.keys(JSON.parse(readFileSync("package.json", "utf8")).dependencies),
    );
    expect(others).not.to.include("mocha");
    expect(development).to.include("mocha");
  });

  it("serves where it is installed", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect((await run(program, ["--version"])).stdout).to.equal(`${version}\n`);
    const cwd = join(folder, "data");
    mkdirSync(cwd);
    const serving = await startProgram({ cwd, program, env: { PETSTORE_WORKERS: "2" } });
    expect(await get(serving, "/v1/pets")).to.include({ status: 200, text: "[]" });
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("finds the package of a storage beside itself", async () => {
    const storage = join(prefix, "lib/node_modules/petstore-storage-file");
    cpSync("examples/storage-file", storage, { recursive: true });
    const env = { PATH: process.env.PATH, PETSTORE_STORAGE_ADAPTERS: "petstore-storage-file" };
    const { stdout } = await run(program, ["storages", "--json"], { cwd: folder, env });
    expect(JSON.parse(stdout).at(-1)).to.include({ module: join(storage, "storage.js") });
  });

  describe("for the author of a storage", () => {
    let author: string;
    before(() => {
      author = join(folder, "author");
      mkdirSync(join(author, "node_modules"), { recursive: true });
      symlinkSync(join(prefix, "lib/node_modules/petstore"), join(author, "node_modules/petstore"));
    });

    it("has types that compile with the strictest options, without the types of any library", async () => {
      writeFileSync(join(author, "package.json"), '{ "type": "module" }');
      writeFileSync(
        join(author, "storage.ts"),
        `import * as storage from "petstore/storage";
        import * as contract from "petstore/storage/contract";
        export type Parts = [storage.StorageAdapter, storage.Storage, storage.PetRepository, storage.PetArchive, contract.ContractCase];
        export const api: 2 = storage.STORAGE_API;
        export const cases: readonly contract.ContractCase[] = contract.STORAGE_CONTRACT;
        // @ts-expect-error: the types say more than any.
        export const wrong: string = storage.STORAGE_API;`,
      );
      const options =
        "--strict --target es2022 --module nodenext --types --skipLibCheck false --declaration " +
        "--exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax";
      const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
      const compiled = await run(process.execPath, [tsc, ...options.split(" "), "storage.ts"], {
        cwd: author,
      }).catch((error) => error);
      expect(compiled.stdout).to.equal("");
    });

    for (const inside of ["", "/dist/src/container.js", "/storage.js"]) {
      it(`lets nobody import petstore${inside}`, async () => {
        const script = `await import("petstore${inside}").then(() => "imported", ({ code }) => code).then(console.log)`;
        const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], {
          cwd: author,
        });
        expect(stdout).to.equal("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
      });
    }
  });
});
