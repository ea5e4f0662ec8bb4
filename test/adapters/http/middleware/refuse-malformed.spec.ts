import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import type { Context } from "../../../../src/adapters/http/context.js";
import { refuseMalformed } from "../../../../src/adapters/http/middleware/refuse-malformed.js";
import { CANARY } from "../../../support/expect-error.js";

/** The code and the connection header of the refusal; "passed" if there is none. */
async function outcome(request: Partial<IncomingMessage>): Promise<unknown> {
  const whole = { method: "GET", url: "/v1/pets", httpVersion: "1.1", headers: { host: "a" }, ...request };
  try {
    return await refuseMalformed({ req: whole } as unknown as Context, async () => "passed");
  } catch (error) {
    const { code, headers, message } = error as { code: string; headers: object; message: string };
    expect(message).not.to.contain(CANARY);
    return { code, ...headers };
  }
}

const withHeaders = (headers: Record<string, string>) => outcome({ headers: { host: "a", ...headers } });

const REFUSED = { code: "malformed_request" };
/** Of a request behind which nothing may follow. */
const CUT = { ...REFUSED, Connection: "close" };

describe("refuseMalformed", () => {
  for (const host of ["a b", "a/b", "user@a", "a:80:80", "[::1", "a\xe9", "a, b", "a:x"]) {
    it(`refuses the Host ${JSON.stringify(host)}`, async () => {
      expect(await withHeaders({ host })).to.deep.equal(REFUSED);
    });
  }

  for (const host of ["", "petstore.test", "petstore.test:80", "petstore.test:", "[fe80::1]:3000", "a_b"]) {
    it(`passes the Host ${JSON.stringify(host)}`, async () => {
      expect(await withHeaders({ host })).to.equal("passed");
    });
  }

  it("requires a Host of HTTP/1.1 alone", async () => {
    expect(await outcome({ headers: {} })).to.deep.equal(REFUSED);
    expect(await outcome({ headers: {}, httpVersion: "1.0" })).to.equal("passed");
  });

  it("knows one expectation, and none of HTTP/1.0", async () => {
    expect(await withHeaders({ expect: "100-Continue" })).to.equal("passed");
    expect(await withHeaders({ expect: CANARY })).to.deep.equal(CUT);
    expect(await outcome({ headers: { expect: CANARY }, httpVersion: "1.0" })).to.equal("passed");
  });

  it("knows one transfer coding, and none of HTTP/1.0", async () => {
    expect(await withHeaders({ "transfer-encoding": "Chunked" })).to.equal("passed");
    for (const coding of ["identity", "gzip, chunked", CANARY]) {
      expect(await withHeaders({ "transfer-encoding": coding })).to.deep.equal(CUT);
    }
    const headers = { "transfer-encoding": "chunked" };
    expect(await outcome({ headers, httpVersion: "1.0" })).to.deep.equal(CUT);
  });
});
