import { expect } from "chai";
import type { WireErrorCode } from "../../src/adapters/http/answer/error-codes.js";
import type { Answer } from "./client.js";

/** What every request of a test may send, so that an answer which repeats what was sent is noticed. */
export const CANARY = "CanaryValue7Q";

/**
 * Holds an answer to everything that is promised of every error: exactly code, message and status; the media type
 * without a charset; the right length; the header that the status calls for; nothing of what was sent.
 */
export function expectError(answer: Answer, status: number, code: WireErrorCode): void {
  const { headers, text } = answer;
  expect(answer.status, text).to.equal(status);
  expectJson(answer);
  const body = JSON.parse(text);
  expect(body, text).to.have.all.keys("code", "message", "status");
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

/** Holds an answer with a body to what is promised of all of them. */
export function expectJson({ headers, text }: Answer): void {
  expect(headers["content-type"]).to.equal("application/json");
  expect(headers["content-length"]).to.equal(String(Buffer.byteLength(text)));
}
