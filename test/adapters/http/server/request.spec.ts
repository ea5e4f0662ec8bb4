import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect } from "chai";
import { boundedRequest } from "../../../../src/adapters/http/server/request.js";

describe("A body, whoever reads it,", () => {
  for (const [what, pieces, size, isRefused] of [
    ["may come in 1024 pieces", 1024, 1, false],
    ["may not come in 1025 pieces", 1025, 1, true],
    ["may have 1 MiB", 1024, 1024, false],
    ["may not have more than 1 MiB", 1023, 1026, true],
  ] as const) {
    it(what, () => {
      const refused: IncomingMessage[] = [];
      const req = new (boundedRequest((refusedOne) => refused.push(refusedOne)))(new Socket());
      for (let piece = 0; piece < pieces; piece++) req.push(Buffer.alloc(size));
      expect(refused).to.deep.equal(isRefused ? [req] : []);
      expect(req.readableLength).to.equal((isRefused ? pieces - 1 : pieces) * size);
      req.push(null);
    });
  }
});
