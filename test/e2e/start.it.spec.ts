import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { allPets, get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram, statusOf } from "../support/start-program.js";

const REX = '{"name":"Rex","categoryId":9223372036854775807}';

describe("The program, started", () => {
  const cwd = inEmptyFolder();

  it("makes ./data, the storage and the first key at its first start, and keeps them at its second", async () => {
    const first = await startProgram({ cwd: cwd() });
    expect(readdirSync(cwd())).to.deep.equal(["data"]);
    const keysFile = join(cwd(), "data", "keys.json");
    expect(statSync(keysFile).mode & 0o777).to.equal(0o600);
    const { origin, firstKey } = first;
    expect(readFileSync(keysFile, "utf8")).not.to.include(firstKey);
    const { text } = await post(first, REX, { key: firstKey });
    const { stdout } = await first.stop();
    expect(stdout).to.include(`curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets\n`);

    const second = await startProgram({ cwd: cwd() });
    expect(await allPets(second, { key: firstKey })).to.deep.equal([text]);
    expect(second.stdout).not.to.include("petstore_");
  });

  for (const variable of ["INVOCATION_ID", "NOTIFY_SOCKET"]) {
    it(`makes no key where only the journal would keep it (${variable}), and says how to add one`, async () => {
      const program = await startProgram({ cwd: cwd(), env: { [variable]: "/nowhere" } });
      await program.printed(/petstore keys add/);
      expect(program.stdout).not.to.include("the first API key");
      expect(existsSync(join(cwd(), "data", "keys.json"))).to.equal(false);
    });
  }

  it("keeps nothing on the disk but the keys with memory:, and warns of an unknown setting", async () => {
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PROT: "80" };
    const program = await startProgram({ cwd: cwd(), env });
    expect((await post(program, REX)).status).to.equal(201);
    expect(readdirSync(join(cwd(), "data"))).to.deep.equal(["keys.json"]);
    await program.printed(/"name":"PETSTORE_PROT".*unknown setting ignored/);
  });

  it("refuses creates if it is read-only, and says so to the operator", async () => {
    const program = await startProgram({ cwd: cwd(), env: { PETSTORE_READ_ONLY: "true" } });
    const { status, text } = await post(program, REX);
    expect(status).to.equal(503);
    expect(JSON.parse(text))
      .to.include({ code: "storage_unavailable" })
      .and.property("message")
      .match(/read-only/);
    expect((await get(program, "/v1/pets")).status).to.equal(200);
    expect(await (await fetch(`${program.admin}/readyz`)).json()).to.deep.equal({
      ready: true,
      readOnly: true,
    });
  });

  it("lists every faulty setting in one message, and makes nothing", async () => {
    const env = { PETSTORE_PORT: "65536", PETSTORE_STORAGE: "redis://secret" };
    const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env });
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
    expect(stderr).to.match(/^petstore: Fix these settings:\n( {2}PETSTORE_\w+ must .*\n){2}$/);
    expect(stderr).not.to.include("secret");
    expect(readdirSync(cwd())).to.deep.equal([]);
  });

  for (const name of ["PETSTORE_PORT", "PETSTORE_ADMIN_PORT"]) {
    it(`says that ${name} is taken, ends with 1, and has made no key`, async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as { port: number };
      const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env: { [name]: String(port) } });
      other.close();
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr).to.match(new RegExp(`^petstore: .*${port}.* is taken; .*set ${name} .*\\n$`));
      expect(existsSync(join(cwd(), "data", "keys.json"))).to.equal(false);
    });
  }

  for (const [storage, code] of [
    ["sqlite:/dev/null/petstore.db", 1],
    ["sqlite:", 2],
  ] as const) {
    it(`ends with ${code} if its storage is ${storage}`, async () => {
      const ended = await runProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: storage } });
      expect(ended.code).to.equal(code);
      expect(ended.stderr)
        .to.match(/^petstore: /)
        .and.not.match(/\n +at /);
    });
  }

  it("starts with 128 files, and outlives more connections than that", async () => {
    const through = ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"];
    const { origin } = await startProgram({ cwd: cwd(), through });
    // Those that the program cannot accept wait in the kernel.
    const clients = Array.from({ length: 300 }, () => connect(Number(new URL(origin).port), "127.0.0.1"));
    await Promise.all(clients.map((client) => once(client, "connect")));
    for (const client of clients) client.destroy();
    await until(() =>
      statusOf(`${origin}/v1/pets`).then(
        (status) => status === 401,
        () => false,
      ),
    );
  });
});
