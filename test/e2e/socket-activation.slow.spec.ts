import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { E2E_KEY, listOver } from "../support/pets-client.js";
import { PROGRAM } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";
import { hasTool } from "../support/tool.js";

const HOLDER = join(import.meta.dirname, "../../../test/support/socket-holder.py");

describe("sockets from systemd", () => {
  let cwd: string;
  let holder: ChildProcess;
  let printed: string;

  before(function () {
    if (!hasTool("python3", "sockets that systemd hands over")) this.skip();
  });
  beforeEach(() => {
    cwd = makeFolder();
    printed = "";
  });
  afterEach(async () => {
    holder.stdin?.end();
    if (holder.exitCode === null) await once(holder, "exit");
    removeFolder(cwd);
  });

  async function start(env: Record<string, string>): Promise<{ api: number; admin: number }> {
    holder = spawn("python3", [HOLDER, process.execPath, PROGRAM], {
      cwd,
      env: { PATH: process.env.PATH, PETSTORE_API_KEY: E2E_KEY, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    holder.stdout?.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    await until(() => started() === 1);
    const [, api, admin] = /^ports (\d+) (\d+)$/m.exec(printed) ?? [];
    return { api: Number(api), admin: Number(admin) };
  }

  const started = () => printed.match(/^ +storage /gm)?.length ?? 0;

  const list = async (port: number) => (await listOver(`http://127.0.0.1:${port}`)).statusCode;

  it("are the API's and the admin port's, and win over the settings", async () => {
    const { api, admin } = await start({ PETSTORE_PORT: "1", PETSTORE_ADMIN_PORT: "2" });
    expect(printed).to.include(`petstore listens on http://127.0.0.1:${api}\n`);
    expect(await list(api)).to.equal(200);
    expect((await fetch(`http://127.0.0.1:${admin}/readyz`)).status).to.equal(200);
  });

  for (const workers of ["1", "2"]) {
    it(`fail no request while the program is restarted, each over a new connection, with PETSTORE_WORKERS=${workers}`, async () => {
      const { api } = await start({ PETSTORE_WORKERS: workers });
      const answers: unknown[] = [];
      let going = true;
      const clients = Array.from({ length: 8 }, async () => {
        while (going) answers.push(await list(api).catch((error) => error));
      });
      for (let restart = 1; restart <= 3; restart++) {
        await until(() => answers.length > 20 * restart);
        holder.stdin?.write("\n");
        await until(() => started() === restart + 1);
      }
      going = false;
      await Promise.all(clients);
      expect(answers.filter((answer) => answer !== 200)).to.deep.equal([]);
      expect(printed.match(/^stopped 0$/gm)).to.have.length(3);
    });
  }
});
