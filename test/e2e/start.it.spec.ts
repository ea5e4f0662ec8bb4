import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { allPets, get, post } from "../support/client.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { API_KEY } from "../support/start-app.js";
import { Program, runProgram, startProgram, statusOf } from "../support/start-program.js";

describe("The program, started", () => {
  const cwd = inEmptyFolder();

  it("makes ./data, the storage and the first key at its first start, and keeps them at its second", async () => {
    const first = await startProgram({ cwd: cwd() });
    expect(readdirSync(cwd())).to.deep.equal(["data"]);
    expect(readdirSync(join(cwd(), "data"))).to.include.members(["keys.json", "petstore.db"]);
    const { origin, firstKey } = first;
    const { text } = await post(first, '{"name":"Rex","categoryId":1}', { key: firstKey });
    const keysFile = join(cwd(), "data", "keys.json");
    expect(statSync(keysFile).mode & 0o777).to.equal(0o600);
    expect(readFileSync(keysFile, "utf8")).not.to.include(firstKey);
    const { stdout } = await first.stop();
    expect(stdout).to.include(`curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets\n`);

    const second = await startProgram({ cwd: cwd() });
    expect(await allPets(second, { key: firstKey })).to.deep.equal([text]);
    expect(second.stdout).not.to.include("petstore_");
  });

  it("prints its addresses on standard output also if Commander reads the command line", async () => {
    const { stdout } = await startProgram({ cwd: cwd(), args: ["serve", "--"] });
    expect(stdout).to.match(/^petstore listens on /m);
  });

  it("prints an IPv6 address in the form of URLs", async () => {
    const { origin } = await startProgram({ cwd: cwd(), env: { PETSTORE_HOST: "::1" } });
    expect(origin).to.match(/^http:\/\/\[::1\]:\d+$/);
    expect(await statusOf(origin)).to.equal(404);
  });

  it("listens on a Unix socket, even after a program that was killed there", async () => {
    const path = join(cwd(), "api.sock");
    const env = { PETSTORE_HOST: `unix:${path}` };
    const program = await startProgram({ cwd: cwd(), env });
    expect(program.stdout).to.include(`petstore listens on unix:${path}\n`);
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const sent = request({ socketPath: path, path: "/v1/pets", headers });
    const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
    expect(response.statusCode).to.equal(200);
    response.resume();
    const second = await runProgram({ cwd: cwd(), env });
    const told = `unix:${path} is taken; end the program that listens there, or set PETSTORE_HOST`;
    expect(second.stderr).to.include(told);
    program.child.kill("SIGKILL");
    await program.ended;
    expect(existsSync(path)).to.equal(true);
    const last = await startProgram({ cwd: cwd(), env });
    expect(await last.stop()).to.include({ code: 0 });
    expect(existsSync(path)).to.equal(false);
    writeFileSync(path, "not a socket");
    expect((await runProgram({ cwd: cwd(), env })).stderr).to.include(`unix:${path} is taken`);
    expect(readFileSync(path, "utf8")).to.equal("not a socket");
  });

  it("keeps nothing on the disk but the keys with memory:, and warns of a setting that it does not know", async () => {
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PROT: "80" };
    const program = await startProgram({ cwd: cwd(), env });
    await post(program, '{"name":"Rex","categoryId":1}');
    expect(readdirSync(join(cwd(), "data")).sort()).to.deep.equal(["keys.json", "keys.json.made"]);
    await program.printed(/"name":"PETSTORE_PROT".*unknown setting ignored/);
  });

  it("lists every faulty setting in one message and makes nothing", async () => {
    const env = { PETSTORE_PORT: "65536", PETSTORE_STORAGE: "redis://secret" };
    const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env });
    expect(code).to.equal(2);
    expect(stdout).to.equal("");
    expect(stderr).to.match(/^petstore: These settings need correcting:\n( {2}PETSTORE_\w+ must .*\n){2}$/);
    expect(stderr).not.to.include("secret");
    expect(existsSync(join(cwd(), "data"))).to.equal(false);
  });

  it("says that its port is taken, ends, and has made no key", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    for (const name of ["PETSTORE_PORT", "PETSTORE_ADMIN_PORT"]) {
      const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env: { [name]: String(port) } });
      expect(code).to.equal(1);
      expect(stdout).to.equal("");
      expect(stderr).to.match(new RegExp(`^petstore: .*${port}.* is taken; .*set ${name} .*\\n$`));
    }
    other.close();
    const program = await startProgram({ cwd: cwd() });
    expect((await get(program, "/v1/pets", { key: program.firstKey })).status).to.equal(200);
  });

  it("makes no key if another program wins the race for its port", async () => {
    const env = { PETSTORE_PORT: String(await freePort()) };
    const programs = ["a", "b"].map((name) => {
      mkdirSync(join(cwd(), name));
      return new Program({ cwd: join(cwd(), name), env });
    });
    const { stdout } = await Promise.race(programs.map(({ ended }) => ended));
    expect(stdout).to.equal("");
    await Promise.any(programs.map((program) => program.printed(/^The first API key was made/)));
  });

  it("says that its host is no address of the machine", async () => {
    // An address of the range for documentation (RFC 5737), which no machine has.
    const { code, stderr } = await runProgram({ cwd: cwd(), env: { PETSTORE_HOST: "192.0.2.1" } });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^petstore: 192\.0\.2\.1 is no address of this machine; set PETSTORE_HOST .*\n$/);
  });
});
