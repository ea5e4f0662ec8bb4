import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Agent, type RequestOptions, request } from "node:https";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { pipeline } from "node:stream";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { expect } from "chai";
import { allowOf } from "../support/described.js";
import { API_KEY } from "../support/start-app.js";
import { type StartedNginx, startNginx } from "../support/start-nginx.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { makeFolder } from "../support/temporary-folder.js";
import { hasTool } from "../support/tool.js";

const AUTHORIZED = { Authorization: `Bearer ${API_KEY}` };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

describe("Behind nginx, with the site of deploy/,", () => {
  let folder: string;
  let program: Program;
  let nginx: StartedNginx;
  /** Stands between nginx and the service, and counts the connections. */
  let wire: Server;
  let connections = 0;
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  before(async function () {
    const what = "the service behind nginx";
    // nginx knows no --version, and says so with an exit code.
    if (!hasTool("nginx", what) || !hasTool("openssl", what)) return this.skip();
    folder = makeFolder();
    const env = { PETSTORE_STORAGE: "memory:", PETSTORE_TRUST_PROXY: "127.0.0.1" };
    program = await startProgram({ cwd: folder, env });
    wire = createServer((socket) => {
      connections++;
      const upstream = connect({ port: program.port, host: "127.0.0.1" });
      pipeline(socket, upstream, socket, () => {});
    }).listen(0, "127.0.0.1");
    await once(wire, "listening");
    nginx = await startNginx(folder, (wire.address() as AddressInfo).port);
  });

  after(async () => {
    agent.destroy();
    await nginx?.stop();
    wire?.close();
    await endPrograms();
  });

  afterEach(() => agent.destroy());

  async function send(options: RequestOptions = {}, body?: string): Promise<Answer> {
    const sent = request({
      host: "127.0.0.1",
      port: nginx.httpsPort,
      agent,
      path: "/v1/pets",
      ...options,
      headers: { ...AUTHORIZED, ...(body && { "Content-Type": "application/json" }), ...options.headers },
    });
    sent.end(body);
    const [response] = await once(sent, "response");
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it("bodies pass up to the service's limit, and the service itself refuses larger ones", async () => {
    const create = (length: number) =>
      send({ method: "POST" }, '{"name":"Rex","categoryId":1}'.padEnd(length));
    expect((await create(16_384)).status).to.equal(201);
    for (const length of [16_385, 900_000, 1_500_000]) {
      const { status, headers, body } = await create(length);
      expect(status, `${length} bytes`).to.equal(413);
      expect(headers["content-type"]).to.equal("application/json");
      expect(JSON.parse(body)).to.include({ code: "body_too_large", status: 413 });
      expect(JSON.parse(body)).to.have.all.keys("code", "message", "status");
    }
  });

  it("a connection to the service carries several requests", async () => {
    const before = connections;
    for (let count = 0; count < 50; count++) await send({ agent: new Agent({ rejectUnauthorized: false }) });
    expect(connections - before).to.be.at.most(1);
  });

  it("the log has the client's address, whatever the client says of it", async () => {
    const ofOthers = { "X-Forwarded-For": "192.0.2.1", Forwarded: "for=192.0.2.1" };
    const headers = { ...ofOthers, "X-Request-Id": "address-test" };
    // nginx connects from 127.0.0.1, so that this address can only come from its header.
    await send({ agent: new Agent({ rejectUnauthorized: false }), localAddress: "127.0.0.2", headers });
    await program.printed(/"address-test".*\n/);
    const [line = ""] = /.*"address-test".*/.exec(program.stdout) ?? [];
    expect(JSON.parse(line)).to.include({ client: "127.0.0.2", operation: "listPets", status: 200 });
  });

  it("a request has one id, in the answer and in the log", async () => {
    const mine = await send({ headers: { "X-Request-Id": "mine-1" } });
    expect(mine.headers["x-request-id"]).to.equal("mine-1");
    const { headers } = await send();
    expect(headers["x-request-id"]).to.match(/^[\da-f]{32}$/);
    await program.printed(new RegExp(`"requestId":"${headers["x-request-id"]}"`));
  });

  it("clients can speak HTTP/2, and a body beyond nginx's limit gets the service's shape there, too", async () => {
    const session = connectHttp2(`https://127.0.0.1:${nginx.httpsPort}`, { rejectUnauthorized: false });
    const { Authorization: authorization } = AUTHORIZED;
    const stream = session.request({ ":path": "/v1/pets?limit=1", authorization });
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).to.equal(200);
    expect(headers["strict-transport-security"]).to.equal("max-age=63072000");
    expect(JSON.parse(await text(stream))).to.be.an("array");
    const type = { "content-type": "application/json", "content-length": 1_500_000 };
    const large = session.request({ ":method": "POST", ":path": "/v1/pets", authorization, ...type });
    const [refused] = await once(large, "response");
    expect([refused[":status"], refused["content-type"]]).to.deep.equal([413, "application/json"]);
    expect(JSON.parse(await text(large))).to.include({ code: "body_too_large", status: 413 });
    session.destroy();
  });

  it("nobody reaches the paths of nginx's own errors", async () => {
    for (const name of ["unavailable", "body_too_large", "route_not_found"]) {
      const { status, headers, body } = await send({ path: `/nginx/${name}` });
      expect([status, headers["content-type"]]).to.deep.equal([404, "application/json"]);
      expect(JSON.parse(body)).to.include({ code: "route_not_found", status: 404 });
    }
  });

  it("JSON, style sheets and scripts are compressed", async () => {
    const { body: page } = await send({ path: "/docs" });
    const linked = Array.from(page.matchAll(/(?:src|href)="([^"]+\.(?:css|js))"/g), ([, path]) => path);
    expect(linked).not.to.deep.equal([]);
    for (const path of ["/openapi.json", "/openapi.yaml", ...linked]) {
      const { body } = await send({ path });
      const { headers } = await send({ path, headers: { "Accept-Encoding": "gzip" } });
      expect(headers["content-encoding"], path).to.equal(body.length < 1000 ? undefined : "gzip");
    }
  });

  const HOST = "Host: localhost\r\n\r\n";
  const REFUSED = [
    ["TRACE", `TRACE /v1/pets HTTP/1.1\r\n${HOST}`, 405, "method_not_allowed"],
    ["CONNECT", `CONNECT localhost:1 HTTP/1.1\r\n${HOST}`, 400, "malformed_request"],
    ["a target of 40 KB", `GET /${"a".repeat(40_000)} HTTP/1.1\r\n${HOST}`, 431, "headers_too_large"],
    ["a header of 40 KB", `GET / HTTP/1.1\r\nA: ${"a".repeat(40_000)}\r\n${HOST}`, 431, "headers_too_large"],
    ["an unknown coding", `POST / HTTP/1.1\r\nTransfer-Encoding: x\r\n${HOST}`, 400, "malformed_request"],
    ["HTTP/3.0", `GET / HTTP/3.0\r\n${HOST}`, 400, "malformed_request"],
    ["no HTTP", "hello\r\n\r\n", 400, "malformed_request"],
    ["a method in small letters", `get / HTTP/1.1\r\n${HOST}`, 400, "malformed_request"],
  ] as const;
  for (const [what, bytes, status, code] of REFUSED) {
    it(`nginx refuses ${what} in the service's shape, and over plain HTTP as well`, async () => {
      const overTls = connectTls({ port: nginx.httpsPort, host: "127.0.0.1", rejectUnauthorized: false });
      const allow = status === 405 ? allowOf() : undefined;
      expectRefusal(await text(overTls.end(bytes)), status, code, allow);
      const plain = connect({ port: nginx.httpPort, host: "127.0.0.1" });
      expectRefusal(await text(plain.end(bytes)), 400, "malformed_request");
    });
  }

  function expectRefusal(answer: string, status: number, code: string, allow?: string): void {
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
    expect(/^Content-Type: (.*)$/m.exec(head)?.[1]).to.equal("application/json");
    expect(/^Allow: (.*)$/m.exec(head)?.[1]).to.equal(allow);
    expect(JSON.parse(body)).to.have.all.keys("code", "message", "status").and.include({ code, status });
  }

  it("a request of plain HTTP is refused, and not redirected", async () => {
    const sent = `GET /v1/pets HTTP/1.1\r\nConnection: close\r\n${HOST}`;
    const answer = await text(connect({ port: nginx.httpPort, host: "127.0.0.1" }).end(sent));
    expectRefusal(answer, 400, "malformed_request");
  });

  it("errors have the service's shape if the service is away", async () => {
    await program.stop();
    const { status, headers, body } = await send();
    expect(status).to.equal(503);
    expect(headers["retry-after"]).to.equal("1");
    expect(headers["content-type"]).to.equal("application/json");
    expect(JSON.parse(body)).to.include({ code: "overloaded", status: 503 });
  });
});
