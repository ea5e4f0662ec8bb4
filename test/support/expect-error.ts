import { expect } from "chai";
import type { WireErrorCode } from "../../src/adapters/http/http-error.js";
import type { Answer } from "./client.js";

/** A text that requests of tests send, so that the tests notice an answer that repeats it. */
export const CANARY = "CanaryValue7Q";

/** The headers of every answer of the API for browsers and caches. */
export const FIXED_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * Asserts the rules of every error: exactly code, message and status; the media type without a charset; the
 * right length; the fixed headers; the header that the status needs; no part of the request.
 */
export function expectError(answer: Answer, status: number, code: WireErrorCode): void {
  const { headers, text } = answer;
  expect(answer.status, text).to.equal(status);
  expectJson(answer);
  const body = JSON.parse(text);
  expect(Object.keys(body), text).to.deep.equal(["code", "message", "status"]);
  expect(body.code, text).to.equal(code);
  expect(body.status).to.equal(status);
  expect(body.message)
    .to.be.a("string")
    .and.match(/^[A-Za-z][ -~]+\.$/);
  expect(text.toLowerCase()).not.to.contain(CANARY.toLowerCase());
  if (status === 401) expect(headers["www-authenticate"]).to.match(/^Bearer realm="petstore"/);
  if (status === 405) expect(headers.allow).to.match(/^[A-Z]+(, [A-Z]+)*$/);
  if (status === 503) expect(headers["retry-after"]).to.match(/^[1-9]\d*$/);
}

/** Asserts the rules of every answer with a body. */
export function expectJson({ headers, text }: Answer): void {
  expect(headers["content-type"]).to.equal("application/json");
  expect(headers["content-length"]).to.equal(String(Buffer.byteLength(text)));
  expect(headers).to.include(FIXED_HEADERS);
}
