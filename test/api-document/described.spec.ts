import { expect } from "chai";
import { SECURITY_HEADERS } from "../../src/adapters/http/answer/answer.js";
import { expectDescribed, type ReceivedAnswer } from "../support/described.js";

const PET = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

/** The headers of every answer. */
const COMMON = {
  "x-request-id": "1",
  ...Object.fromEntries(
    Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  ),
};

function answer(status: number, text: string, headers: Record<string, string> = {}): ReceivedAnswer {
  return { status, text, headers: { "content-type": "application/json", ...COMMON, ...headers } };
}

function error(code: string, status: number, headers?: Record<string, string>): ReceivedAnswer {
  return answer(status, JSON.stringify({ code, message: "It failed.", status }), headers);
}

const GET_PET = {
  deprecation: "@1795219200",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets?status=available>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
};

/** Answers that the service must not give, since the document does not describe them. */
const DRIFTED: readonly [string, string, string, ReceivedAnswer][] = [
  ["a status that is not described", "GET", "/v1/pets", answer(206, "[]")],
  ["a header that is not described", "GET", "/v1/pets", answer(200, "[]", { "x-extra": "1" })],
  ["a header of another operation", "GET", "/v1/pets", answer(200, "[]", { sunset: GET_PET.sunset })],
  ["another value of a header", "GET", "/v1/pets/1", answer(200, PET, { ...GET_PET, sunset: "tomorrow" })],
  ["a 201 without Location", "POST", "/v1/pets", answer(201, PET)],
  ["a 401 without a challenge", "GET", "/v1/pets", error("missing_credentials", 401)],
  ["a 405 without Allow", "PUT", "/v1/pets", error("method_not_allowed", 405)],
  ["a 503 without Retry-After", "GET", "/v1/pets", error("overloaded", 503)],
  [
    "another media type",
    "GET",
    "/v1/pets",
    answer(200, "[]", { "content-type": "application/json; charset=utf-8" }),
  ],
  ["a code that is not described", "GET", "/v1/pets", error("bad_luck", 400)],
  ["a code of another status", "GET", "/v1/pets", error("internal_error", 400)],
  [
    "another member of an error",
    "GET",
    "/v1/pets",
    answer(500, '{"code":"internal_error","message":"","status":500,"x":1}'),
  ],
  [
    "an error whose body has another status",
    "GET",
    "/v1/pets",
    answer(500, '{"code":"internal_error","message":"","status":501}'),
  ],
  ["another member of a pet", "GET", "/v1/pets", answer(200, `[${PET.replace("{", '{"colour":"red",')}]`)],
  ["a pet without a member", "GET", "/v1/pets", answer(200, '[{"id":1,"name":"Rex","categoryId":1}]')],
  ["an integer as a string", "GET", "/v1/pets", answer(200, `[${PET.replace('"id":1', '"id":"1"')}]`)],
  ["an integer beyond int64", "GET", "/v1/pets", answer(200, `[${PET.replace("807", "808")}]`)],
  ["an order", "GET", "/v1/store/orders", answer(200, "[1]")],
  ["a 204 with a body", "OPTIONS", "/v1/pets", answer(204, "x", { allow: "GET" })],
  [
    "an answer without a request id",
    "GET",
    "/v1/pets",
    { status: 200, text: "[]", headers: { "content-type": "application/json" } },
  ],
];

describe("expectDescribed", () => {
  it("accepts answers that the document describes", () => {
    expectDescribed("GET", "/v1/pets?limit=1", answer(200, `[${PET}]`));
    expectDescribed("POST", "/v1/pets", answer(201, PET, { location: "/v1/pets/1" }));
    expectDescribed("GET", "/v1/pets/1", answer(200, PET, GET_PET));
    expectDescribed("GET", "/v1/pets", error("overloaded", 503, { "retry-after": "1" }));
    expectDescribed("GET", "/nowhere", error("route_not_found", 404));
    expectDescribed("GET", undefined, error("malformed_request", 400));
    expectDescribed("PUT", "/v1/pets", error("method_not_allowed", 405, { allow: "GET" }));
    expectDescribed("OPTIONS", "/v1/pets", answer(204, "", { allow: "GET" }));
    expectDescribed("GET", "/v1/store/orders", answer(200, "[]"));
    expectDescribed(
      "GET",
      "/v1/pets",
      error("missing_credentials", 401, { "www-authenticate": 'Bearer realm="petstore"' }),
    );
  });

  for (const [what, method, path, drifted] of DRIFTED) {
    it(`refuses ${what}`, () => {
      expect(() => expectDescribed(method, path, drifted)).to.throw();
      expect(() => expectDescribed(method, undefined, { ...drifted, status: 299 })).to.throw();
    });
  }
});
