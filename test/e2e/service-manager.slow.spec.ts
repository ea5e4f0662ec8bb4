import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { startProgram } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

/** Prints each datagram that a Unix socket gets. Node cannot receive datagrams there. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(receiver.recv(4096).decode(), flush=True)
`;

describe("the messages to systemd", () => {
  needTools("the messages to systemd", "systemd-notify", "python3");
  const folder = inEmptyFolder();

  it("say once that the service is ready, then that it is alive, and once that it is stopping", async () => {
    const socket = join(folder(), "notify");
    const receiver = spawn("python3", ["-c", RECEIVER, socket], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      let told = "";
      receiver.stdout.setEncoding("utf8").on("data", (text) => (told += text));
      const tells = async (state: string) => {
        while (!told.includes(state)) await once(receiver.stdout, "data");
      };
      await tells("bound");
      const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "400000" };
      const program = await startProgram({ cwd: folder(), env });
      await tells("READY=1");
      await tells("WATCHDOG=1");
      const ended = program.stop();
      await tells("STOPPING=1");
      expect(await ended).to.include({ code: 0, stderr: "" });
      expect(told.match(/READY=1|STOPPING=1/g)).to.deep.equal(["READY=1", "STOPPING=1"]);
    } finally {
      receiver.kill();
    }
  });
});
