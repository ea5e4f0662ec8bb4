import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";

const PETSTORE_API_KEY = "petstore_key-of-the-nginx-test";
const authorization = `Bearer ${PETSTORE_API_KEY}`;
const HSTS = "max-age=63072000";

type Headers = Readonly<Record<string, string | undefined>>;

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

function expectError({ status, headers, body }: Received, expected: { status: number; code: string }): void {
  expect([status, headers["content-type"]], body).to.deep.equal([expected.status, "application/json"]);
  expect(JSON.parse(body)).to.include(expected).and.to.have.all.keys("code", "message", "status");
}

describe("nginx with the site of deploy/", () => {
  let program: Program;
  let nginx: Awaited<ReturnType<typeof startNginx>>;

  needTools("the service behind nginx", "nginx", "openssl");
  before(async () => {
    const folder = makeFolder();
    const env = { PETSTORE_API_KEY, PETSTORE_STORAGE: "memory:", PETSTORE_TRUST_PROXY: "127.0.0.1" };
    program = await startProgram({ cwd: folder, env });
    nginx = await startNginx(folder, program.port);
  });
  after(async () => {
    await nginx?.stop();
    await endPrograms();
  });

  async function send(sent: Headers = {}, body = "", localAddress = "127.0.0.1"): Promise<Received> {
    const socket = connect({ host: "127.0.0.1", port: nginx.httpsPort, localAddress });
    const secure = connectTls({ socket, ALPNProtocols: ["h2"], rejectUnauthorized: false });
    const session = connectHttp2("https://localhost", { createConnection: () => secure });
    const stream = session.request({ ":path": "/v1/pets", authorization, ...sent }, { endStream: !body });
    if (body) stream.end(body);
    const [headers] = await once(stream, "response");
    const received = { status: headers[":status"], headers, body: await text(stream) };
    session.destroy();
    return received;
  }

  it("starts without a warning", () => {
    expect(nginx.errors()).to.not.include("[warn]");
  });

  it("passes bodies up to the service's limit, and rejects larger ones in the service's shape", async () => {
    const post = { ":method": "POST", "content-type": "application/json" };
    const pet = '{"name":"Rex","categoryId":1}';
    expect((await send(post, pet.padEnd(16_384))).status).to.equal(201);
    // The service rejects the first, nginx the second.
    for (const length of [16_385, 1_500_000]) {
      const sent = { ...post, "content-length": String(length) };
      expectError(await send(sent, pet.padEnd(length)), { status: 413, code: "body_too_large" });
    }
  });

  it("passes on the request id or generates one, and passes on the client's address", async () => {
    const forged = { "x-forwarded-for": "192.0.2.1", forwarded: "for=192.0.2.1" };
    const given = await send({ ...forged, "x-request-id": "mine-1" }, "", "127.0.0.2");
    expect(given.headers["x-request-id"]).to.equal("mine-1");
    await program.printed(/"mine-1".*\n/);
    const [line = ""] = /.*"mine-1".*/.exec(program.stdout) ?? [];
    expect(JSON.parse(line)).to.include({ client: "127.0.0.2", operation: "listPets", status: 200 });
    const { headers } = await send();
    expect(headers["x-request-id"]).to.match(/^[\da-f]{32}$/);
    await program.printed(new RegExp(`"requestId":"${headers["x-request-id"]}"`));
  });

  it("compresses large responses", async () => {
    const { headers } = await send({ ":path": "/openapi.json", "accept-encoding": "gzip" });
    expect(headers).to.include({ "content-encoding": "gzip", "strict-transport-security": HSTS });
  });

  it("hides the paths of its own errors", async () => {
    expectError(await send({ ":path": "/nginx/unavailable" }), { status: 404, code: "route_not_found" });
  });

  const HOST = "Host: localhost\r\n\r\n";
  for (const [what, bytes, status, code] of [
    ["TRACE", `TRACE /v1/pets HTTP/1.1\r\n${HOST}`, 405, "method_not_allowed"],
    ["a target of 40 KB", `GET /${"a".repeat(40_000)} HTTP/1.1\r\n${HOST}`, 431, "headers_too_large"],
    ["a header of 40 KB", `GET / HTTP/1.1\r\nA: ${"a".repeat(40_000)}\r\n${HOST}`, 431, "headers_too_large"],
    ["a body of 1.5 MB", `POST / HTTP/1.1\r\nContent-Length: 1500000\r\n${HOST}`, 413, "body_too_large"],
    ["an unknown coding", `POST / HTTP/1.1\r\nTransfer-Encoding: x\r\n${HOST}`, 400, "malformed_request"],
    ["bytes that are not HTTP", "hello\r\n\r\n", 400, "malformed_request"],
  ] as const) {
    it(`rejects ${what} in the service's shape`, async () => {
      const to = { port: nginx.httpsPort, host: "127.0.0.1", rejectUnauthorized: false };
      const received = await text(connectTls(to).end(bytes));
      expect(received).to.match(
        new RegExp(`^HTTP/1.1 ${status} .*\nContent-Type: application/json\r\n`, "s"),
      );
      expect(received).to.include(`{"code":"${code}","message":"`);
      if (status === 405) expect(received).to.include("\nAllow: GET, HEAD, OPTIONS, POST\r\n");
    });
  }

  it("rejects requests without TLS instead of redirecting them", async () => {
    const response = await fetch(`http://127.0.0.1:${nginx.httpPort}/v1/pets`, { redirect: "manual" });
    expect(response.status).to.equal(400);
    expect(await response.json()).to.include({ code: "malformed_request", status: 400 });
  });

  it("responds 503 in the service's shape if the service is down", async () => {
    await program.stop();
    const received = await send();
    expectError(received, { status: 503, code: "overloaded" });
    expect(received.headers).to.include({ "retry-after": "1", "strict-transport-security": HSTS });
  });
});

/** Runs nginx in front of `upstreamPort`, with the site of `deploy/` except for its ports and its certificate. */
async function startNginx(folder: string, upstreamPort: number) {
  const [httpsPort, httpPort] = await Promise.all([freePort(), freePort()]);
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  const files = ["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")];
  spawnSync("openssl", [...options.split(" "), ...files]);
  const site = siteForInstalledNginx()
    .replace("127.0.0.1:3000;", `127.0.0.1:${upstreamPort};`)
    .replace(/ +listen \[::\].*\n/g, "")
    .replace("listen 443", `listen 127.0.0.1:${httpsPort}`)
    .replace("listen 80", `listen 127.0.0.1:${httpPort}`)
    .replaceAll("/etc/letsencrypt/live/pets.example.org", folder);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/nginx/${name};`,
  );
  const [configuration, pid, log] = [`${folder}/nginx.conf`, `${folder}/nginx.pid`, `${folder}/error.log`];
  const errors = () => readFileSync(log, "utf8");
  mkdirSync(join(folder, "nginx"));
  writeFileSync(
    configuration,
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off; worker_processes 1; pid ${pid}; error_log ${log}; events { worker_connections 512; }
http { access_log off; ${temporary.join(" ")}\n${site} }`,
  );
  const nginx = spawn("nginx", ["-c", configuration, "-e", log, "-p", folder], { stdio: "inherit" });
  const exited = once(nginx, "exit");
  // nginx writes the file once it listens.
  await until(() => existsSync(pid) || nginx.exitCode !== null);
  if (nginx.exitCode !== null) throw new Error(`nginx does not start: ${errors()}`);
  const stop = async () => {
    nginx.kill();
    await exited;
  };
  return { httpsPort, httpPort, errors, stop };
}

/** Returns the site of `deploy/`, edited as operations.md says for nginx before 1.25.1. */
function siteForInstalledNginx(): string {
  const { stderr } = spawnSync("nginx", ["-v"], { encoding: "utf8" });
  const isOld = /nginx\/1\.(?:\d|1\d|2[0-4])\./.test(stderr);
  const documented = /sed -i '(.*)'.*nginx before 1\.25\.1$/m.exec(
    readFileSync("docs/operations.md", "utf8"),
  );
  const script = isOld ? (documented?.[1] ?? "") : "";
  return execFileSync("sed", [script, "deploy/nginx.conf"], { encoding: "utf8" });
}
