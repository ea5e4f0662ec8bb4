import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { npmInstall, packPetstore } from "../support/pack.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

/** A component as CycloneDX describes it. */
interface Component {
  readonly name: string;
  readonly group?: string;
  readonly properties: unknown;
}

describe("the package", function () {
  this.timeout(60_000);
  let folder: string;
  let tarball: string;
  let child: ChildProcess | undefined;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
  });
  after(async () => {
    if (child?.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "close");
    }
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

  it("installs as docs/operations.md says, and serves", async () => {
    const prefix = join(folder, "prefix");
    await npmInstall(folder, "--global", "--prefix", prefix, tarball);
    const program = join(prefix, "bin/petstore");
    const cwd = join(folder, "data");
    mkdirSync(cwd);

    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect((await run(program, ["--version"], { cwd })).stdout).to.include(version);
    const added = await run(program, ["keys", "add", "app", "--json"], {
      cwd,
      env: { PATH: process.env.PATH, PETSTORE_KEYS_FILE: "keys.json" },
    });
    const { secret } = JSON.parse(added.stdout) as { secret: string };

    child = spawn(program, ["serve"], {
      cwd,
      env: {
        PATH: process.env.PATH,
        PETSTORE_KEYS_FILE: "keys.json",
        PETSTORE_STORAGE: "sqlite:pets.db",
        PETSTORE_WORKERS: "2",
        PETSTORE_PORT: "0",
        PETSTORE_ADMIN_PORT: "0",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    const origin = await eventually(() => /^petstore listens on (\S+)$/m.exec(printed)?.[1], 20_000);
    const answer = await fetch(`${origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.equal("[]");
    child.kill();
    expect((await once(child, "close"))[0]).to.equal(0);
  });
});
