import { PassThrough } from "node:stream";
import { expect } from "chai";
import { answerError, INTERNAL_ERROR } from "../../../../src/adapters/http/answer/answer-error.js";
import type { Context } from "../../../../src/adapters/http/context.js";

describe("answerError", () => {
  const sized = { "content-length": "9" };
  const chunked = { "transfer-encoding": "chunked" };
  for (const [what, headers, chunks, size, isCut, complete = false] of [
    ["drops 1 MiB of a body in 1024 chunks", sized, 1024, 1024, false],
    ["cuts a body of one more byte off", sized, 1, 1024 * 1024 + 1, true],
    ["cuts a body in one more chunk off", chunked, 1025, 1, true],
    ["leaves a request without a body alone", {}, 1025, 1, false],
    ["leaves a body alone that has been read", sized, 1025, 1, false, true],
  ] as const) {
    it(what, () => {
      const req = Object.assign(new PassThrough().pause(), { headers, complete });
      const ctx = { req, res: {}, state: {}, set() {} };
      answerError(ctx as unknown as Context, INTERNAL_ERROR);
      const reads = !complete && Object.keys(headers).length > 0;
      expect(req.isPaused()).to.equal(!reads);
      for (let chunk = 0; chunk < chunks; chunk++) req.emit("data", Buffer.alloc(size));
      expect(req.destroyed).to.equal(isCut);
    });
  }
});
