import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";
import { useApp } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

describe("The media type of a body", () => {
  const app = useApp();
  const typed = (type: string | string[]) => post(app(), BODY, { headers: { "Content-Type": type } });

  for (const parameters of [";", ' ; charset="UTF-8"', ";charset=utf-8"]) {
    const type = `Application/JSON${parameters}`;
    it(`may be ${type}`, async () => {
      expect((await typed(type)).status).to.equal(201);
    });
  }

  for (const type of [
    "",
    "text/json",
    "application/*",
    "application/jsonx",
    "application/json, text/plain",
    "application/json; charset=latin1",
    "application/json; charset=utf-8;charset=latin1",
    ["application/json", "application/json"],
  ]) {
    it(`is refused with 415 unsupported_media_type if it is ${JSON.stringify(type)}`, async () => {
      expectError(await typed(type), 415, "unsupported_media_type");
    });
  }

  it("must be given: a body without a media type is 415", async () => {
    expectError(await send(app(), "POST", "/v1/pets", { body: BODY }), 415, "unsupported_media_type");
  });

  for (const coding of ["gzip", "identity", ""]) {
    it(`must not have the Content-Encoding "${coding}": 415`, async () => {
      const headers = { "Content-Encoding": coding };
      expectError(await post(app(), gzipSync(BODY), { headers }), 415, "unsupported_media_type");
    });
  }
});

describe("Expect: 100-continue", () => {
  for (const [version, continued] of Object.entries({ "1.1": 1, "1.0": 0 })) {
    it(`makes the service ask for the body ${continued} times in HTTP/${version}`, async () => {
      const app = await buildApp();
      let asked = 0;
      app.app.middleware.unshift(({ req, res }, next) => {
        req.httpVersion = version;
        res.writeContinue = () => asked++;
        return next();
      });
      expect((await post(app, BODY, { headers: { Expect: "100-continue" } })).status).to.equal(201);
      expect((await post(app, BODY)).status).to.equal(201);
      expect(asked).to.equal(continued);
      await app.close();
    });
  }
});

describe("The length of a body", () => {
  const app = useApp();

  it("may be 16384 bytes, and 16385 are 413 body_too_large", async () => {
    expect((await post(app(), BODY.padEnd(16384))).status).to.equal(201);
    expectError(await post(app(), BODY.padEnd(16385)), 413, "body_too_large");
  });

  const typed = { "Content-Type": "application/json" };
  const length = (digits: string) => ({ "Content-Length": digits });
  const chunked = { "Transfer-Encoding": "chunked" };
  for (const headers of [{}, typed, length("0"), length("000"), { ...typed, ...chunked }]) {
    it(`must not be 0: 400 missing_body, with ${JSON.stringify(headers)}`, async () => {
      expectError(await send(app(), "POST", "/v1/pets", { headers }), 400, "missing_body");
    });
  }

  it("does not matter in chunks without a media type, which are 415", async () => {
    const answer = await send(app(), "POST", "/v1/pets", { headers: chunked });
    expectError(answer, 415, "unsupported_media_type");
  });
});
