import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { describeIf } from "../support/left-out.js";
import { packPetstore } from "../support/pack.js";
import { runProgram, startProgram } from "../support/start-program.js";

const run = promisify(execFile);

describe("The examples of storages from outside", () => {
  let folder: string;
  let tarball: string;

  before(async () => {
    folder = makeFolder();
    tarball = await packPetstore(folder);
  });

  /** Copies an example out of this repository, where it cannot reach `src`, and runs its README's commands as they stand. */
  async function runReadme(name: string): Promise<{ readonly example: string; readonly printed: string }> {
    const clone = join(folder, name);
    const example = join(clone, "examples", name);
    const isOwn = (path: string) => !["node_modules", "dist"].includes(basename(path));
    cpSync(join("examples", name), example, { recursive: true, filter: isOwn });
    cpSync(tarball, join(clone, basename(tarball)));
    const readme = readFileSync(join(example, "README.md"), "utf8");
    const [first = "", ...commands] = (/^```sh\n(.*?)^```$/ms.exec(readme)?.[1] ?? "").trimEnd().split("\n");
    // This command makes the tarball, which exists already.
    expect(first).to.match(/^npm ci && npm run build && npm pack +# in the clone$/);
    const settings = { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0", PETSTORE_API_KEY: "key" };
    const env = { ...process.env, ...settings, npm_config_prefer_offline: "true", npm_config_audit: "false" };
    // The last command serves until it is killed.
    const serve = `${commands.pop()} > served & until grep -q "petstore listens" served; do sleep 0.2; done; kill $!`;
    const script = ["set -e", ...commands, serve].join("\n");
    const options = { cwd: clone, env, timeout: 240_000 };
    const { stdout, stderr, code, signal } = await run("bash", ["-c", script], options).catch(
      (error) => error,
    );
    expect(code ?? signal, stdout + stderr).to.equal(undefined);
    return { example, printed: stdout };
  }

  it("storage-file: is one file of at most 120 lines, strictly typed, and passes its tests in node:test", async () => {
    const { example, printed } = await runReadme("storage-file");
    expect(readFileSync(join(example, "storage.js"), "utf8").split("\n")).to.have.length.within(50, 121);
    expect(printed).to.match(/^. pass [1-9]\d+$/m);
  }).timeout(300_000);

  const HAS_POSTGRES = existsSync("/usr/lib/postgresql");
  describeIf(HAS_POSTGRES, "storage-postgres", "storages on PostgreSQL", "install postgresql", () => {
    it("passes its tests in mocha, is packed with its code, serves, and names missing parts", async () => {
      const { example, printed } = await runReadme("storage-postgres");
      expect(printed).to.match(/^ +[1-9]\d* passing/m);
      expect(printed, "skipped tests").to.not.match(/pending/);

      rmSync(join(example, "dist"), { recursive: true });
      const packed = await run("npm", ["pack", "--json"], { cwd: example });
      const paths = JSON.parse(packed.stdout)[0].files.map(({ path }: { path: string }) => path);
      expect(paths).to.include.members(["dist/src/storage.js", "dist/src/outage.js"]);

      const { Cluster } = await import(join(example, "dist/test/cluster.js"));
      const cluster = new Cluster();
      await cluster.start();
      try {
        const PETSTORE_STORAGE_ADAPTERS = join(example, "dist/src/storage.js");
        const env = { PETSTORE_STORAGE_ADAPTERS, PGDATA: process.env.PGDATA ?? "" };
        const settings = { ...env, PETSTORE_STORAGE: cluster.newUrl() };
        const program = await startProgram({ cwd: folder, env: settings });
        const { status, text } = await post(program, '{"name":"Rex","categoryId":7}');
        expect(status, text).to.equal(201);
        expect((await get(program, "/v1/pets")).text).to.equal(`[${text}]`);
        expect((await program.stop()).code).to.equal(0);

        const missing = cluster.newUrl().replace("/postgres?", "/nowhere?");
        const copy = await runProgram({ cwd: folder, args: ["copy", missing, "sqlite:to.db"], env });
        expect(copy).to.include({ code: 2 });
      } finally {
        await cluster.remove();
      }
    }).timeout(600_000);
  });
});
