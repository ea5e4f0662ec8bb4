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
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { get } from "../support/client.js";
import { npmInstall, packPetstore } from "../support/pack.js";
import { endPrograms, startProgram } from "../support/start-program.js";
import { makeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

/** The path and version of each package below a folder. */
function findPackages(folder: string): [path: string, version: string][] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const manifest = /(^|\/)node_modules\/(@[^/]+\/)?[^@/]+\/package\.json$/;
  const versionIn = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8")).version;
  return files.filter((file) => manifest.test(file)).map((file) => [dirname(file), versionIn(file)]);
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
    const places = ["--cache", join(folder, "empty"), "--prefix", prefix];
    await npmInstall(folder, "--global", "--offline", ...places, tarball);
    program = join(prefix, "bin/petstore");
  });
  after(endPrograms);

  it("holds no source map, no test, and no path of the machine that made it", async () => {
    const contents = join(folder, "contents");
    mkdirSync(contents);
    await run("tar", ["-xzf", tarball, "-C", contents]);
    const entries = readdirSync(contents, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes("/node_modules/"));
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    expect(paths).to.include(join(contents, "package/dist/src/main.js"));
    const unwanted = /\.map$|(?<!\.d)(?<!examples\/.*)\.ts$|\.test\.|\.spec\.|\/test\//;
    expect(paths.filter((path) => unwanted.test(path.slice(contents.length)))).to.deep.equal([]);
    for (const path of paths) {
      const text = readFileSync(path, "utf8");
      expect(text.includes(process.cwd()) || text.includes(homedir()), path).to.equal(false);
    }
  });

  it("holds every file to which its documents link", () => {
    const installed = join(prefix, "lib/node_modules/petstore");
    const names = readdirSync(installed, { recursive: true, encoding: "utf8" });
    const documents = names.filter((name) => name.endsWith(".md") && !name.includes("node_modules"));
    expect(documents).to.include.members(["README.md", "docs/storages.md"]);
    const broken = documents.flatMap((document) => {
      const text = readFileSync(join(installed, document), "utf8");
      return [...text.matchAll(/(?:\]\(|(?:src|srcset)=")(?!https?:|mailto:)([^)"#\s]+)/g)]
        .map(([, path = ""]) => join(dirname(document), path))
        .filter((path) => !existsSync(join(installed, path)))
        .map((path) => `${document} → ${path}`);
    });
    expect(broken).to.deep.equal([]);
  });

  it("holds the very versions of its dependencies that were tested, and its list names these alone", async () => {
    type Lock = { packages: Record<string, { version: string }> };
    const { packages: lock }: Lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
    const held = findPackages(join(prefix, "lib/node_modules/petstore"));
    for (const [path, version] of held) expect(lock[path]?.version, path).to.equal(version);
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const needed = Object.keys(dependencies).map((name) => `node_modules/${name}`);
    expect(held.map(([path]) => path)).to.include.members(needed);
    const { stdout } = await run("npm", ["run", "--silent", "sbom"]);
    const { metadata, components } = JSON.parse(stdout);
    expect(metadata.component.name).to.equal("petstore");
    const listed = components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
    const names = held.map(([path, version]) => `${path.split("node_modules/").at(-1)}@${version}`);
    expect(new Set(listed)).to.deep.equal(new Set(names));
  });

  it("is not made without its program", async () => {
    const clone = join(folder, "clone");
    for (const file of [".npmrc", "package.json", "README.md"]) cpSync(file, join(clone, file));
    const pack = () => run("npm", ["pack", "--ignore-scripts"], { cwd: clone });
    const { stderr } = await pack().catch((error) => error);
    expect(stderr).to.match(/ENOENT: .*dist\/petstore-.*\.tgz/);
    mkdirSync(join(clone, "dist"));
    await pack();
  });

  it("serves where it is installed", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect((await run(program, ["--version"])).stdout).to.equal(`${version}\n`);
    const cwd = join(folder, "data");
    mkdirSync(cwd);
    const serving = await startProgram({ cwd, program });
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
        const evaluated = ["--input-type=module", "--eval", script];
        const { stdout } = await run(process.execPath, evaluated, { cwd: author });
        expect(stdout).to.equal("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
      });
    }
  });
});
