import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

const BODY = '{"name":"Zoë","categoryId":1}';

describe("A body", () => {
  const app = buildApp();
  const typed = (type: string | string[]) => post(app, BODY, { headers: { "Content-Type": type } });

  for (const type of [
    "Application/JSON",
    "application/json;",
    'application/json ; charset="UTF-8"',
    "application/json; charset=utf8",
    "application/json; charset=us-ascii",
    "application/json; profile=https://example.org/x",
    "application/json; odata.metadata=minimal",
  ]) {
    it(`is JSON in UTF-8 if its type is ${type}`, async () => {
      const { status, text } = await typed(type);
      expect([status, JSON.parse(text).name]).to.deep.equal([201, "Zoë"]);
    });
  }

  for (const type of [
    ...["", "text/plain", "text/json", "application/*", "application/jsonx", "application/json-patch+json"],
    ...["application/x-www-form-urlencoded", "application/json, text/plain"],
    ["application/json", "application/json"],
  ]) {
    it(`is 415 if its type is ${JSON.stringify(type)}`, async () => {
      expectError(await typed(type), 415, "unsupported_media_type");
    });
  }

  it("is 415 without a type", async () => {
    expectError(await send(app, "POST", "/v1/pets", { body: BODY }), 415, "unsupported_media_type");
  });

  it("is 415 with a Content-Encoding", async () => {
    for (const coding of ["gzip", "identity", ""]) {
      const headers = { "Content-Encoding": coding };
      expectError(await post(app, gzipSync(BODY), { headers }), 415, "unsupported_media_type");
    }
  });

  it("may have 16384 bytes, and with 16385 is 413, which names the limit", async () => {
    expect((await post(app, BODY.padEnd(16383))).status).to.equal(201);
    const answer = await post(app, BODY.padEnd(16384));
    expectError(answer, 413, "body_too_large");
    expect(answer.text).to.contain("16384");
  });

  const type = { "Content-Type": "application/json" };
  const chunked = { "Transfer-Encoding": "chunked" };
  for (const headers of [
    ...[{}, type, { "Content-Length": "0" }, chunked, { ...type, ...chunked }],
    ...[
      { "Content-Type": "text/plain", ...chunked },
      { "Content-Encoding": "gzip", ...chunked },
    ],
  ]) {
    it(`is 400 missing_body if there is none, with ${JSON.stringify(headers)}`, async () => {
      expectError(await send(app, "POST", "/v1/pets", { headers }), 400, "missing_body");
    });
  }
});
