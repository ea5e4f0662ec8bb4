import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { PROGRAM } from "../support/start-program.js";

const KEY = "petstore_key-of-the-systemd-test";

/**
 * Does what systemd does for the service: holds its socket as descriptor 3, prints what it is told (sd_notify(3)), and for
 * each line on standard input stops the command and starts it again. The end of standard input stops it.
 */
const SYSTEMD = `
import os, socket, subprocess, sys, threading
api = socket.create_server(("127.0.0.1", 0), backlog=1024)
assert api.fileno() == 3
api.set_inheritable(True)
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(os.environ["NOTIFY_SOCKET"])
def read():
    while True:
        print("told", notify.recv(4096).decode(), flush=True)
threading.Thread(target=read, daemon=True).start()
print("port", api.getsockname()[1], flush=True)
start = lambda: subprocess.Popen(["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *sys.argv[1:]], close_fds=False)
command = start()
for _ in sys.stdin:
    command.terminate()
    print("stopped", command.wait(), flush=True)
    command = start()
command.terminate()
print("stopped", command.wait(), flush=True)
`;

describe("The program under systemd", () => {
  let systemd: ChildProcess;
  let printed = "";
  let origin: string;
  const count = (pattern: RegExp) => printed.match(pattern)?.length ?? 0;
  const started = (times: number) => until(() => count(/^told READY=1$/gm) === times);

  needTools("systemd's sockets and messages", "systemd-notify", "python3");
  const cwd = inEmptyFolder();
  beforeEach(async () => {
    printed = "";
    systemd = spawn("python3", ["-c", SYSTEMD, process.execPath, PROGRAM], {
      cwd: cwd(),
      env: {
        PATH: process.env.PATH,
        LISTEN_FDS: "1",
        NOTIFY_SOCKET: join(cwd(), "notify"),
        PETSTORE_API_KEY: KEY,
        PETSTORE_PORT: "1",
        PETSTORE_ADMIN_PORT: "0",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    systemd.stdout?.setEncoding("utf8").on("data", (text) => (printed += text));
    await started(1);
    origin = `http://127.0.0.1:${/^port (\d+)$/m.exec(printed)?.[1]}`;
  });
  afterEach(async () => {
    systemd.stdin?.end();
    if (systemd.exitCode === null) await once(systemd, "exit");
  });

  it("serves on the socket it was handed, prints no key, and fails no request over restarts", async () => {
    expect(printed)
      .to.include(`petstore listens on ${origin}\n`)
      .and.not.match(/petstore_\w{20}/);
    const headers = { Authorization: `Bearer ${KEY}`, Connection: "close" };
    const statuses: number[] = [];
    let sending = true;
    const clients = Array.from({ length: 4 }, async () => {
      while (sending) statuses.push((await fetch(`${origin}/v1/pets`, { headers })).status);
    });
    for (let restart = 1; restart <= 3; restart++) {
      const before = statuses.length;
      await until(() => statuses.length > before + 50);
      systemd.stdin?.write("\n");
      await started(restart + 1);
    }
    sending = false;
    await Promise.all(clients);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    systemd.stdin?.end();
    await once(systemd, "close");
    for (const line of [
      /^told READY=1$/gm,
      /^told STOPPING=1\nEXTEND_TIMEOUT_USEC=20000000$/gm,
      /^stopped 0$/gm,
    ]) {
      expect(count(line), String(line)).to.equal(4);
    }
  });
});
