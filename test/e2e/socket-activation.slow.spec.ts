import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { get } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { Load } from "../support/load.js";
import { API_KEY } from "../support/start-app.js";
import { PROGRAM, statusOf } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

/**
 * Holds a socket for the API and one for the admin port as systemd does, and starts the command with them, as its
 * descriptors 3 and 4. Each line on standard input stops the command by SIGTERM and starts it again; the end of standard
 * input stops it. Prints the two ports, and the exit code of each stop.
 */
const HOLDER = `
import os, socket, subprocess, sys
sockets = [socket.create_server(("127.0.0.1", 0), backlog=1024) for _ in range(2)]
assert [one.fileno() for one in sockets] == [3, 4]
for one in sockets:
    one.set_inheritable(True)
print("ports", *[one.getsockname()[1] for one in sockets], flush=True)
start = lambda: subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *sys.argv[1:]], close_fds=False)
command = start()
for _ in sys.stdin:
    command.terminate()
    print("stopped", command.wait(), flush=True)
    command = start()
command.terminate()
command.wait()
`;

describe("sockets from systemd", () => {
  let holder: ChildProcess;
  let printed: string;

  needTools("sockets that systemd hands over", "python3");
  const cwd = inEmptyFolder();
  afterEach(async () => {
    holder.stdin?.end();
    if (holder.exitCode === null) await once(holder, "exit");
  });

  async function start(settings: Record<string, string>): Promise<{ port: number; adminPort: number }> {
    printed = "";
    const sockets = { LISTEN_FDS: "2", LISTEN_FDNAMES: "api:admin" };
    holder = spawn("python3", ["-c", HOLDER, process.execPath, PROGRAM], {
      cwd: cwd(),
      env: { PATH: process.env.PATH, PETSTORE_API_KEY: API_KEY, ...sockets, ...settings },
      stdio: ["pipe", "pipe", "inherit"],
    });
    holder.stdout?.setEncoding("utf8").on("data", (text) => (printed += text));
    await untilStarted(1);
    const [, port, adminPort] = /^ports (\d+) (\d+)$/m.exec(printed) ?? [];
    return { port: Number(port), adminPort: Number(adminPort) };
  }

  const untilStarted = (times: number) => until(() => printed.match(/^ +storage /gm)?.length === times);

  it("are the API's and the admin port's, and win over the settings", async () => {
    const { port, adminPort } = await start({ PETSTORE_PORT: "1", PETSTORE_ADMIN_PORT: "2" });
    expect(printed).to.include(`petstore listens on http://127.0.0.1:${port}\n`);
    await until(() => printed.includes("PETSTORE_PORT ignored"));
    expect((await get({ port }, "/v1/pets")).status).to.equal(200);
    expect(await statusOf(`http://127.0.0.1:${adminPort}/readyz`)).to.equal(200);
  });

  it("fail no request while the program is restarted, each over a new connection", async () => {
    const load = new Load(await start({}), { newConnections: true });
    for (let restart = 1; restart <= 3; restart++) {
      await until(() => load.acknowledged.size > 20 * restart);
      holder.stdin?.write("\n");
      await untilStarted(restart + 1);
    }
    await load.verify();
    expect(load.statuses).to.have.all.keys("200", "201");
    expect(printed.match(/^stopped 0$/gm)).to.have.length(3);
  });
});
