import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { listen } from "../../../src/adapters/http/listen.js";
import { messageOf } from "../../support/code-of.js";

describe("listen", () => {
  let server: Server;
  beforeEach(() => {
    server = createServer();
  });
  const listenOn = (place: { host?: string; port?: number; fd?: number }, listener = server) =>
    listen(listener, { host: "127.0.0.1", port: 0, settings: ["SOME_HOST", "SOME_PORT"], ...place });
  afterEach(() => server.close());

  for (const [host, name] of Object.entries({ "127.0.0.1": "127.0.0.1", "::1": "[::1]" })) {
    it(`returns the origin with the port that the system picked: ${host}`, async () => {
      const { address, origin } = await listenOn({ host });
      expect(server.address()).to.have.property("port", Number(new URL(origin ?? "").port));
      expect([address, new URL(origin ?? "").hostname]).to.deep.equal([origin, name]);
    });
  }

  it("names the setting of a port that is taken, and of a host that is not of this machine", async () => {
    const { origin = "" } = await listenOn({});
    const port = Number(new URL(origin).port);
    expect(await messageOf(listenOn({ port }, createServer()))).to.contain("SOME_PORT");
    expect(await messageOf(listenOn({ host: "192.0.2.1" }, createServer()))).to.contain("SOME_HOST");
  });

  it("names LISTEN_FDS if the inherited descriptor is not a socket", async () => {
    const fd = openSync(import.meta.filename, "r");
    expect(await messageOf(listenOn({ fd }))).to.contain("LISTEN_FDS");
    closeSync(fd);
  });

  it("returns no origin for an inherited socket with a path", async () => {
    const socket = createServer().listen(join(tmpdir(), `petstore-${process.pid}.sock`));
    await once(socket, "listening");
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const options = JSON.stringify({ fd: 3, settings: [] });
    const module = JSON.stringify(import.meta.resolve("../../../src/adapters/http/listen.js"));
    const print = `console.log(JSON.stringify(await listen(createServer(), ${options}))); process.exit()`;
    const code = `import { createServer } from "node:net"; import { listen } from ${module}; ${print}`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
      stdio: ["ignore", "pipe", "inherit", fd],
      encoding: "utf8",
    });
    expect(JSON.parse(stdout)).to.deep.equal({ address: "descriptor 3 (from LISTEN_FDS)" });
    socket.close();
  });

  it("survives an error of the server after it listens", async () => {
    await listenOn({});
    const warned = once(process, "warning");
    server.emit("error", new Error("EMFILE"));
    expect((await warned)[0]).to.have.property("message", "EMFILE");
  });
});
