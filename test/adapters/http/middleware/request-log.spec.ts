import { EventEmitter } from "node:events";
import { mock } from "node:test";
import { expect } from "chai";
import type { KoaApp } from "../../../../src/adapters/http/koa-app.js";
import { logRequests } from "../../../../src/adapters/http/request-log.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get, post, send } from "../../../support/client.js";
import { API_KEY, type BuiltApp, buildApp, FixedKeys } from "../../../support/start-app.js";

describe("request log", () => {
  let app: BuiltApp;
  let lines: LogLine[];

  beforeEach(async () => {
    const captured = captureLog();
    lines = captured.lines;
    app = await buildApp({ log: captured.log });
  });
  afterEach(() => app.close());

  it("writes one line per request, with everything that an operator needs", async () => {
    const { headers, text } = await get(app, "/v1/pets?limit=5");
    expect(lines).to.have.length(1);
    const { time, ms, pid, hostname, ...line } = lines[0] as LogLine;
    expect(line).to.deep.equal({
      level: 30,
      msg: "request",
      requestId: headers["x-request-id"],
      operation: "listPets",
      method: "GET",
      status: 200,
      key: API_KEY,
      client: "127.0.0.1",
      bytes: text.length,
    });
    expect(ms).to.be.a("number").within(0, 60_000);
    expect(String(ms), "to a microsecond").to.match(/^\d+(\.\d{1,3})?$/);
  });

  it("names the code of an error, and `none` if no operation was reached", async () => {
    await get(app, "/v1/pets/7");
    await get(app, "/v1/pets", { key: null });
    await get(app, "/nowhere");
    await send(app, "PUT", "/v1/pets");
    await send(app, "HEAD", "/v1/pets");
    const told = lines.map(({ operation, method, status, code }) => [operation, method, status, code]);
    expect(told).to.deep.equal([
      ["getPet", "GET", 404, "pet_not_found"],
      ["none", "GET", 401, "missing_credentials"],
      ["none", "GET", 404, "route_not_found"],
      ["none", "other", 405, "method_not_allowed"],
      ["listPets", "HEAD", 200, undefined],
    ]);
  });

  it("never holds a key, a body or a path, wherever the client put its key", async () => {
    const headers = { "X-Request-Id": "secret 4", traceparent: "secret-5" };
    await get(app, "/v1/pets/secret-1?api_key=secret-2", { key: "secret-3", headers });
    await post(app, '{"name":"secret-6","categoryId":"secret-7"}');
    expect(lines).to.have.length(2);
    expect(JSON.stringify(lines)).not.to.include("secret");
  });

  for (const id of ["0aZ-_.", "x".repeat(128)]) {
    it(`takes and answers the client's X-Request-Id ${id.slice(0, 20)}`, async () => {
      const { headers } = await get(app, "/v1/pets", { headers: { "X-Request-Id": id } });
      expect(headers["x-request-id"]).to.equal(id);
      expect(lines[0]?.requestId).to.equal(id);
    });
  }

  for (const id of ["", "a b", "x".repeat(129), '"']) {
    it(`makes an id of its own in place of ${JSON.stringify(id.slice(0, 20))}`, async () => {
      const { headers } = await get(app, "/v1/pets", { headers: { "X-Request-Id": id } });
      expect(headers["x-request-id"]).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    });
  }
});

describe("The log of a flood", () => {
  let app: EventEmitter;
  let lines: LogLine[];
  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const captured = captureLog();
    lines = captured.lines;
    app = new EventEmitter();
    logRequests(app as KoaApp, captured.log);
  });
  afterEach(() => mock.timers.reset());

  it("writes one line a second for connections that were cut, for each reason", () => {
    for (let count = 0; count < 3; count++) app.emit("connectionCut", "body");
    app.emit("connectionCut", "excess");
    mock.timers.tick(1000);
    app.emit("connectionCut", "stalled");
    mock.timers.tick(1000);
    expect(lines.map(({ msg, reason, connections }) => [msg, reason, connections])).to.deep.equal([
      ["connections cut", "body", 3],
      ["connections cut", "excess", 1],
      ["connections cut", "stalled", 1],
    ]);
  });

  it("writes one line a second for requests that were too many", () => {
    const shed = { status: 503, code: "overloaded" };
    for (let count = 0; count < 3; count++) app.emit("requestFinished", shed);
    mock.timers.tick(1000);
    expect(lines.map(({ msg, requests }) => [msg, requests])).to.deep.equal([["requests shed", 3]]);
  });
});

describe("The log of a refused key", () => {
  it("names an expired key, and never its secret", async () => {
    const keys = new FixedKeys(API_KEY, "expired");
    const { find } = keys;
    keys.find = (secret) => {
      const key = find.call(keys, secret);
      return key && { ...key, isExpired: secret === "expired" };
    };
    const { log, lines } = captureLog();
    const app = await buildApp({ keyVerifier: keys, log });
    for (const key of ["expired", "unknown"]) await get(app, "/v1/pets", { key });
    await app.close();
    const requests = lines.filter(({ msg }) => msg === "request");
    expect(requests.map(({ status }) => status)).to.deep.equal([401, 401]);
    expect(requests.map(({ key }) => key)).to.deep.equal(["expired", undefined]);
  });
});
