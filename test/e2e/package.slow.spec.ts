import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { makeFolder } from "../support/in-empty-folder.js";
import { packPetstore } from "../support/pack.js";
import { endPrograms, startProgram } from "../support/start-program.js";

const run = promisify(execFile);
const json = (file: string) => JSON.parse(readFileSync(file, "utf8"));

describe("The npm package", () => {
  const folder = makeFolder();
  const modules = join(folder, "prefix/lib/node_modules");
  const petstore = join(modules, "petstore");
  const program = join(folder, "prefix/bin/petstore");
  /** The files of the package itself, without those of its dependencies. */
  let files: string[];

  before(async () => {
    const tarball = await packPetstore(folder);
    // Installs the package as an operator does, but without a registry.
    const places = ["--cache", join(folder, "empty"), "--prefix", join(folder, "prefix")];
    await run("npm", ["install", "--global", "--ignore-scripts", "--offline", ...places, tarball]);
    files = readdirSync(petstore, { recursive: true, encoding: "utf8" }).filter(
      (file) => !file.startsWith("node_modules") && /\.\w+$/.test(file),
    );
  });
  after(endPrograms);

  it("contains neither sources, source maps, tests nor parts of the build", () => {
    expect(files).to.include.members(["dist/src/main.js", "README.md"]);
    const unwanted =
      /\.map$|(?<!\.d|^examples\/.*)\.ts$|\.test\.|\.spec\.|^test\/|^scripts\/|^dist\/(?!src\/)/;
    expect(files.filter((file) => unwanted.test(file))).to.deep.equal([]);
  });

  it("contains only modules that can be imported", async () => {
    // An import would run these: the program, the writer's thread, and scripts for browsers.
    const runs = /main\.js$|writer-thread\.js$|^dist\/src\/adapters\/http\/docs\//;
    const modules = files.filter((file) => /^dist\/.*\.js$/.test(file) && !runs.test(file));
    const script = "for (const file of process.argv.slice(1)) await import(file); console.log('imported')";
    const paths = modules.map((file) => join(petstore, file));
    const args = ["--input-type=module", "-e", script, "--", ...paths];
    expect((await run(process.execPath, args, { cwd: folder })).stdout).to.equal("imported\n");
  });

  it("contains every file to which its documents link", () => {
    const links = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => {
        const text = readFileSync(join(petstore, file), "utf8");
        const paths = text.matchAll(/(?:\]\(|(?:src|srcset)=")(?!https?:|mailto:)([^)"#\s]+)/g);
        return Array.from(paths, ([, path = ""]) => join(dirname(file), path));
      });
    expect(links).not.to.deep.equal([]);
    expect(links.filter((link) => !existsSync(join(petstore, link)))).to.deep.equal([]);
  });

  it("contains the versions of its dependencies that the lock file names", () => {
    const { packages: lock } = json("package-lock.json");
    const manifest = /(^|\/)node_modules\/(@[^/]+\/)?[^@/]+\/package\.json$/;
    const names = readdirSync(petstore, { recursive: true, encoding: "utf8" });
    const bundled = names.filter((name) => manifest.test(name)).map(dirname);
    for (const path of bundled) {
      expect(json(join(petstore, path, "package.json")).version, path).to.equal(lock[path]?.version);
    }
    expect(bundled).to.include.members(["node_modules/koa", "node_modules/mongodb"]);
  });

  it("serves where it is installed, and finds a storage installed beside it", async () => {
    expect((await run(program, ["--version"])).stdout).to.equal(`${json("package.json").version}\n`);
    const storage = join(modules, "petstore-storage-file");
    cpSync("examples/storage-file", storage, { recursive: true });
    const env = { PATH: process.env.PATH ?? "", PETSTORE_STORAGE_ADAPTERS: "petstore-storage-file" };
    const { stdout } = await run(program, ["storages", "--json"], { cwd: folder, env });
    expect(JSON.parse(stdout).at(-1)).to.include({ module: join(storage, "storage.js") });
    const serving = await startProgram({ cwd: makeFolder(), program, env });
    expect((await fetch(`${serving.admin}/readyz`)).status).to.equal(200);
    expect(await serving.stop()).to.include({ code: 0, stderr: "" });
  });

  it("offers types for storages that compile with the strictest options and without the types of Node", async () => {
    const author = join(folder, "author");
    mkdirSync(join(author, "node_modules"), { recursive: true });
    symlinkSync(petstore, join(author, "node_modules/petstore"));
    writeFileSync(join(author, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(author, "storage.ts"),
      `import * as storage from "petstore/storage";
      import * as contract from "petstore/storage/contract";
      export type Parts = [storage.StorageAdapter, storage.Storage, storage.PetRepository, storage.PetArchive];
      export const api: 2 = storage.STORAGE_API;
      export const cases: readonly contract.ContractCase[] = contract.STORAGE_CONTRACT;
      // @ts-expect-error: the type is not any
      export const wrong: string = storage.STORAGE_API;`,
    );
    const options =
      "--strict --target es2022 --module nodenext --types --skipLibCheck false --declaration " +
      "--exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax storage.ts";
    const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
    const compile = run(process.execPath, [tsc, ...options.split(" ")], { cwd: author });
    expect((await compile.catch((error) => error)).stdout).to.equal("");
  });
});
