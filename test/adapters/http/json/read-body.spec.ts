import { createRequire } from "node:module";
import { expect } from "chai";
import { captureLog } from "../../../support/captured-log.js";
import { post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

const BODY = '{"name":"Zoë","categoryId":1}';
const JSON_TYPE = { "Content-Type": "application/json" };
const CHUNKED = { "Transfer-Encoding": "chunked" };

describe("A body", () => {
  const app = buildApp();

  for (const type of ["Application/JSON", "application/json;", 'application/json ; charset="us-ascii"']) {
    it(`is JSON in UTF-8 if its type is ${type}`, async () => {
      const { status, text } = await post(app, BODY, { headers: { "Content-Type": type } });
      expect([status, JSON.parse(text).name]).to.deep.equal([201, "Zoë"]);
    });
  }

  const types = ["", "text/json", "application/*", "application/json-patch+json"];
  for (const headers of [
    {},
    ...[...types, "application/json, text/plain"].map((type) => ({ "Content-Type": type })),
    ...["gzip", "identity"].map((coding) => ({ ...JSON_TYPE, "Content-Encoding": coding })),
  ]) {
    it(`is 415 with ${JSON.stringify(headers)}`, async () => {
      const answer = await send(app, "POST", "/v1/pets", { headers, body: BODY });
      expectError(answer, 415, "unsupported_media_type");
    });
  }

  it("may be 16384 bytes long; with 16385 it is 413, which names the limit", async () => {
    expect((await post(app, BODY.padEnd(16383))).status).to.equal(201);
    const answer = await post(app, BODY.padEnd(16384));
    expectError(answer, 413, "body_too_large");
    expect(answer.text).to.contain("16384");
  });

  for (const headers of [
    {},
    { ...JSON_TYPE, "Content-Length": "0" },
    CHUNKED,
    { ...JSON_TYPE, ...CHUNKED },
  ]) {
    it(`is 400 missing_body if there is none, with ${JSON.stringify(headers)}`, async () => {
      expectError(await send(app, "POST", "/v1/pets", { headers }), 400, "missing_body");
    });
  }

  it("is read by code that was loaded at the start: later there may be no free descriptor", async () => {
    await post(app, BODY);
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((path) => path.includes("iconv-lite/encodings"))).to.deep.equal([]);
  });

  it("is 500, with the cause in the log, if it cannot be read through no fault of the client", async () => {
    const { log, lines } = captureLog();
    const failing = buildApp({ log });
    failing.app.middleware.unshift((ctx, next) => {
      // raw-body refuses a stream with an encoding.
      ctx.req.setEncoding("utf8");
      return next();
    });
    expectError(await post(failing, BODY), 500, "internal_error");
    expect(JSON.stringify(lines)).to.contain("stream encoding should not be set");
  });
});
