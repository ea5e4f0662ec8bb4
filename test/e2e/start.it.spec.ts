import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { runProgram, startProgram, statusOf } from "../support/start-program.js";

describe("The program, started", () => {
  const cwd = inEmptyFolder();

  it("creates ./data, the storage and the first key at its first start, and keeps them at its second", async () => {
    const first = await startProgram({ cwd: cwd() });
    expect(readdirSync(cwd())).to.deep.equal(["data"]);
    const keysFile = join(cwd(), "data", "keys.json");
    expect(statSync(keysFile).mode & 0o777).to.equal(0o600);
    const { origin, firstKey } = first;
    expect(readFileSync(keysFile, "utf8")).not.to.include(firstKey);
    const metrics = await (await fetch(`${first.admin}/metrics`)).text();
    expect(metrics).to.include('petstore_deprecated_requests_total{operation="getPet",key="default"} 0');
    const { text } = await post(first, '{"name":"Rex","categoryId":1}', { key: firstKey });
    const { stdout } = await first.stop("SIGKILL");
    expect(stdout).to.include(`curl -H 'Authorization: Bearer ${firstKey}' ${origin}/v1/pets\n`);

    const second = await startProgram({ cwd: cwd() });
    expect((await get(second, "/v1/pets", { key: firstKey })).text).to.equal(`[${text}]`);
    expect(second.stdout).not.to.include("petstore_");
  });

  it("under systemd creates no key but says how to add one, and outlives more connections than files", async () => {
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_PROT: "80", INVOCATION_ID: "1" };
    const through = ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"];
    const program = await startProgram({ cwd: cwd(), env, through });
    await program.printed(/"name":"PETSTORE_PROT".*unknown setting ignored/);
    await program.printed(/petstore keys add/);
    expect(readdirSync(cwd())).to.deep.equal([]);
    // Connections that the program cannot accept wait in the kernel.
    const clients = Array.from({ length: 300 }, () => connect(program.port, "127.0.0.1"));
    await Promise.all(clients.map((client) => once(client, "connect")));
    for (const client of clients) client.destroy();
    const isServing = () => statusOf(`${program.origin}/v1/pets`).catch(() => 0);
    await until(async () => (await isServing()) === 401);
  });

  it("ends with 2 at a faulty setting, with 1 at a port in use, and creates neither a key nor a storage", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const port = String((holder.address() as AddressInfo).port);
    const [faulty, inUse] = await Promise.all([
      runProgram({ cwd: cwd(), env: { PETSTORE_PORT: "65536", PETSTORE_STORAGE: "redis://secret" } }),
      runProgram({ cwd: cwd(), env: { PETSTORE_PORT: port, PETSTORE_STORAGE: "memory:" } }),
    ]);
    holder.close();
    expect(faulty).to.deep.include({ code: 2, stdout: "" });
    expect(faulty.stderr).to.match(/^petstore: Fix these settings:\n( {2}PETSTORE_\w+ must .*\n){2}$/);
    expect(inUse).to.deep.include({ code: 1, stdout: "" });
    expect(inUse.stderr).to.match(/^petstore: .*PETSTORE_PORT.*\n$/);
    expect(readdirSync(cwd())).to.deep.equal([]);
  });
});
