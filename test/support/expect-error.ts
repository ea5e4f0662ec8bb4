import { expect } from "chai";
import type { WireErrorCode } from "../../src/adapters/http/http-error.js";
import type { Answer } from "./client.js";

/** Tests send this text in requests, to notice a response that repeats it. */
export const CANARY = "CanaryValue7Q";

/** Headers for browsers and caches in every response of the API. */
export const FIXED_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * Asserts the rules of every error: exactly code, message and status; the media type without a charset; the
 * right length; the fixed headers; no part of the request.
 */
export function expectError(answer: Answer, status: number, code: WireErrorCode): void {
  const { text } = answer;
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
}

export function expectJson({ headers, text }: Answer): void {
  expect(headers["content-type"]).to.equal("application/json");
  expect(headers["content-length"]).to.equal(String(Buffer.byteLength(text)));
  expect(headers).to.include(FIXED_HEADERS);
}
