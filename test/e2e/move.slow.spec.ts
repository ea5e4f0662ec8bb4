import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { expect } from "chai";
import { catalogueOf, writeCatalogue } from "../support/catalogues.js";
import { get } from "../support/client.js";
import { freePort } from "../support/free-port.js";
import { type PostgresExample, startPostgresExample } from "../support/install-example.js";
import { Load } from "../support/load.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { packPetstore } from "../support/pack.js";
import { endPrograms, PROGRAM, type Program, startProgram } from "../support/start-program.js";
import { makeFolder } from "../support/temporary-folder.js";

/** The commands of docs/moving.md that a comment marks as run by this test, and the script that they call. */
function commandsOf(folder: string): string[] {
  const text = readFileSync("docs/moving.md", "utf8");
  const blocks = text.matchAll(/<!-- test\/e2e\/move\.slow\.spec\.ts runs this -->\n```bash\n(.*?)```/gs);
  const commands = Array.from(blocks, ([, block = ""]) => block);
  expect(commands.at(-1)).to.equal('petstore-move "$TO"\n');
  const move = readFileSync("deploy/petstore-move", "utf8");
  return [`petstore-move() {\n${move}\n}`, ...commands].map((lines) =>
    lines.replace(/\/(?:etc|var\/lib)\/petstore(?=[/\s])/g, folder),
  );
}

describeWithMongodb("a service under load, moved as docs/moving.md says", (mongodb) => {
  let folder: string;
  let service: Program;
  let postgres: PostgresExample | undefined;

  before(async () => {
    folder = makeFolder();
    postgres = await startPostgresExample(folder, await packPetstore(folder));
  });
  afterEach(endPrograms);
  after(() => postgres?.cluster.remove());

  it("loses nothing, recognises every retry, and goes on with every cursor", async () => {
    const environment = join(folder, "petstore.env");
    const [port, adminPort] = [await freePort(), await freePort()];
    const old = `sqlite:${join(folder, "petstore.db")}`;
    // There and back again.
    const urls = [old, mongodb, ...(postgres ? [postgres.cluster.newUrl()] : []), old];
    await writeCatalogue(old, catalogueOf(Array.from({ length: 5000 }, (_, n) => n + 1)));
    writeFileSync(
      environment,
      Object.entries({
        PETSTORE_STORAGE: urls[0],
        PETSTORE_PORT: port,
        PETSTORE_ADMIN_PORT: adminPort,
        PETSTORE_LOG_LEVEL: "silent",
        ...(postgres && { PETSTORE_STORAGE_ADAPTERS: postgres.adapter }),
      })
        .map(([name, value]) => `${name}='${value}'`)
        .join("\n"), // No newline at its end, as editors may leave it.
    );
    const settings = () => parseEnv(readFileSync(environment, "utf8")) as Record<string, string>;
    const start = async () => {
      service = await startProgram({ cwd: folder, env: settings() });
    };
    // This stands for systemd, which `systemctl restart` asks.
    const restarter = createServer(async (_request, response) => {
      await service.stop();
      await start();
      response.end();
    });
    await new Promise<void>((resolve) => restarter.listen(0, "127.0.0.1", resolve));
    await start();
    const first = await get({ port }, "/v1/pets?limit=7&status=sold");
    const cursor = /<([^>]+)>/.exec(first.headers.link ?? "")?.[1] ?? "";
    const page = await get({ port }, cursor);

    const load = new Load({ port }, { restarts: true });
    try {
      for (const [hop, to] of urls.slice(1).entries()) {
        const script = [
          "set -e",
          `systemctl() { curl -sf http://127.0.0.1:${(restarter.address() as AddressInfo).port}/; }`,
          `petstore() { "${process.execPath}" "${PROGRAM}" "$@"; }`,
          `set -a; . ${environment}; set +a`,
          ...commandsOf(folder),
        ].join("\n");
        const env = { ...process.env, FROM: urls[hop], TO: to };
        const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
        await load.healedAfter(performance.now(), "the move");
        const [, copied, present] = /copied (\d+), present (\d+)/.exec(stdout) ?? [];
        expect(Number(to === old ? present : copied)).to.be.at.least(5000);
        expect(settings().PETSTORE_STORAGE).to.equal(to);
        expect((await get({ port }, cursor)).text).to.equal(page.text);
        await load.repeatAll();
      }
    } finally {
      await load.end();
      restarter.close();
    }
    await load.verify();
    expect(load.acknowledged.size).to.be.greaterThan(100);
  });
});
