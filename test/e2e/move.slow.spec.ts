import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseEnv, promisify } from "node:util";
import { expect } from "chai";
import { catalogueOf, writeCatalogue } from "../support/catalogues.js";
import { freePort } from "../support/free-port.js";
import { installExample } from "../support/install-example.js";
import { leaveOut } from "../support/left-out.js";
import { Load } from "../support/load.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { packPetstore } from "../support/pack.js";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { endPrograms, PROGRAM, type Program, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

interface Cluster {
  newUrl(): string;
  remove(): Promise<void>;
}

/** The commands of docs/moving.md that a comment marks as run by this test. */
function commandsOf(folder: string): string[] {
  const text = readFileSync("docs/moving.md", "utf8");
  const blocks = text.matchAll(/<!-- test\/e2e\/move\.slow\.spec\.ts runs this -->\n```bash\n(.*?)```/gs);
  return Array.from(blocks, ([, commands = ""]) =>
    commands.replace(/\/(?:etc|var\/lib)\/petstore\//g, `${folder}/`),
  );
}

describeWithMongodb("a service under load, moved as docs/moving.md says", (mongodb) => {
  let folder: string;
  let service: Program;
  let postgres = "";
  let cluster: Cluster | undefined;

  before(async function () {
    this.timeout(200_000);
    folder = makeFolder();
    if (!existsSync("/usr/lib/postgresql") && !process.env.CI) {
      return leaveOut("PostgreSQL in a move", "install postgresql");
    }
    const example = await installExample("storage-postgres", folder, await packPetstore(folder));
    await promisify(execFile)("npm", ["run", "build"], { cwd: example });
    postgres = join(example, "dist");
    const module = pathToFileURL(join(postgres, "test/cluster.js"));
    cluster = await (await import(module.href)).Cluster.start();
  });
  after(async function () {
    this.timeout(30_000);
    await endPrograms();
    await cluster?.remove();
    removeFolder(folder);
  });

  it("loses nothing, recognises every retry, and goes on with every cursor", async () => {
    const environment = join(folder, "petstore.env");
    const [port, adminPort] = [await freePort(), await freePort()];
    const old = `sqlite:${join(folder, "petstore.db")}`;
    const urls = [
      old,
      mongodb,
      ...(cluster ? [cluster.newUrl()] : []),
      // The way back.
      old,
    ];
    await writeCatalogue(old, catalogueOf(Array.from({ length: 20_000 }, (_, n) => n + 1)));
    writeFileSync(
      environment,
      Object.entries({
        PETSTORE_STORAGE: urls[0],
        PETSTORE_PORT: port,
        PETSTORE_ADMIN_PORT: adminPort,
        PETSTORE_API_KEY: E2E_KEY,
        PETSTORE_LOG_LEVEL: "silent",
        ...(cluster && { PETSTORE_STORAGE_ADAPTERS: join(postgres, "src/storage.js") }),
      })
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(""),
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
    const client = petsClient(`http://127.0.0.1:${port}`);
    const first = await client.get("/v1/pets?limit=7&status=sold");
    const cursor = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const page = await client.get(cursor);

    const load = new Load(`http://127.0.0.1:${port}`, E2E_KEY);
    try {
      for (const [hop, to] of urls.slice(1).entries()) {
        const script = [
          "set -e",
          `systemctl() { curl -sf http://127.0.0.1:${(restarter.address() as AddressInfo).port}/; }`,
          `petstore() { "${process.execPath}" "${PROGRAM}" "$@"; }`,
          `set -a; . ${environment}; set +a`,
          ...commandsOf(folder),
        ].join("\n");
        load.measure();
        const output = await runScript(script, { FROM: urls[hop] ?? "", TO: to });
        await load.settled();
        const { creates, reads } = load.longestGaps();
        const [online, since] = Array.from(output.matchAll(/copied (\d+), present (\d+)/g), (match) =>
          match.slice(1).map(Number),
        );
        const name = (url = "") => url.slice(0, url.indexOf(":"));
        console.log(
          `      ${name(urls[hop])} → ${name(to)}: ${online?.[0]} pets copied while it served and ${since?.[0]} during the stop;` +
            ` no create for ${creates.toFixed(1)} s, no read for ${reads.toFixed(1)} s`,
        );
        expect(to === old ? online?.[1] : online?.[0]).to.be.at.least(20_000);
        expect(settings().PETSTORE_STORAGE).to.equal(to);
        expect((await client.get(cursor)).text).to.equal(page.text);
        await load.expectAllRecognised();
      }
    } finally {
      await load.stop();
      restarter.close();
    }
    const ids = (await client.all()).map((pet) => BigInt(/"id":(\d+)/.exec(pet)?.[1] ?? 0));
    expect(new Set(ids).size).to.equal(ids.length);
    expect(load.created.size).to.be.greaterThan(100);
    // No acknowledged pet is lost, and no id was given twice.
    for (const id of load.created.values()) expect(ids.includes(id), `pet ${id}`).to.equal(true);
    expect(new Set(load.created.values()).size).to.equal(load.created.size);
  }).timeout(240_000);
});

async function runScript(script: string, env: Record<string, string>): Promise<string> {
  const child = spawn("bash", ["-c", script], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  expect(code, stderr).to.equal(0);
  return stdout;
}
