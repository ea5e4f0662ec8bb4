import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram, statusOf } from "../support/start-program.js";

const REX = '{"name":"Rex","categoryId":9223372036854775807}';

describe("The program, started", () => {
  const cwd = inEmptyFolder();

  it("creates ./data, the storage and the first key at its first start, and keeps them at its second", async () => {
    const first = await startProgram({ cwd: cwd() });
    expect(readdirSync(cwd())).to.deep.equal(["data"]);
    const keysFile = join(cwd(), "data", "keys.json");
    expect(statSync(keysFile).mode & 0o777).to.equal(0o600);
    const { origin, firstKey } = first;
    const metrics = await (await fetch(`${first.admin}/metrics`)).text();
    expect(metrics).to.include('petstore_deprecated_requests_total{operation="getPet",key="default"} 0');
    expect(metrics)
      .to.match(/^process_resident_memory_bytes \d/m)
      .and.match(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(readFileSync(keysFile, "utf8")).not.to.include(firstKey);
    const { text } = await post(first, REX, { key: firstKey });
    const { stdout } = await first.stop();
    expect(stdout).to.include(`curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets\n`);

    const second = await startProgram({ cwd: cwd() });
    expect(await allPets(second, { key: firstKey })).to.deep.equal([text]);
    expect(second.stdout).not.to.include("petstore_");
  });

  it("creates no key where only the journal would keep it, and says how to add one", async () => {
    const program = await startProgram({ cwd: cwd(), env: { INVOCATION_ID: "1" } });
    await program.printed(/petstore keys add/);
    expect(program.stdout).not.to.include("the first API key");
    expect(existsSync(join(cwd(), "data", "keys.json"))).to.equal(false);
  });

  it("keeps nothing on the disk but the keys with memory:, warns of an unknown setting, and outlives more connections than files", async () => {
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PROT: "80" };
    const through = ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"];
    const program = await startProgram({ cwd: cwd(), env, through });
    expect((await post(program, REX)).status).to.equal(201);
    expect(readdirSync(join(cwd(), "data"))).to.deep.equal(["keys.json"]);
    await program.printed(/"name":"PETSTORE_PROT".*unknown setting ignored/);
    // Those that the program cannot accept wait in the kernel.
    const clients = Array.from({ length: 300 }, () => connect(program.port, "127.0.0.1"));
    await Promise.all(clients.map((client) => once(client, "connect")));
    for (const client of clients) client.destroy();
    const isServing = () => statusOf(`${program.origin}/v1/pets`).catch(() => 0);
    await until(async () => (await isServing()) === 401);
  });

  it("lists every faulty setting in one message, and creates nothing", async () => {
    const env = { PETSTORE_PORT: "65536", PETSTORE_STORAGE: "redis://secret" };
    const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env });
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
    expect(stderr).to.match(/^petstore: Fix these settings:\n( {2}PETSTORE_\w+ must .*\n){2}$/);
    expect(stderr).not.to.include("secret");
    expect(readdirSync(cwd())).to.deep.equal([]);
  });

  it("ends with 1 and one sentence if a port is in use or the storage cannot be created, and has created no key", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const port = String((holder.address() as AddressInfo).port);
    const check = async (env: Record<string, string>, word: string) => {
      const { code, stdout, stderr } = await runProgram({ cwd: cwd(), env });
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr)
        .to.match(/^petstore: .*\n$/)
        .and.include(word);
    };
    await Promise.all([
      check({ PETSTORE_PORT: port }, "PETSTORE_PORT"),
      check({ PETSTORE_STORAGE: "memory:", PETSTORE_ADMIN_PORT: port }, "PETSTORE_ADMIN_PORT"),
      check({ PETSTORE_STORAGE: "sqlite:/dev/null/petstore.db" }, "/dev/null"),
    ]);
    holder.close();
    expect(existsSync(join(cwd(), "data", "keys.json"))).to.equal(false);
  });
});
