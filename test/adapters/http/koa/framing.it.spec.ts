import { expect } from "chai";
import type { Middleware } from "koa";
import { appOfEachTest } from "../../../support/app-of-each-test.js";
import { head, RawConnection } from "../../../support/raw-http.js";

const CHUNKED = { "Transfer-Encoding": "chunked" };

describe("The framing of an answer", () => {
  const test = appOfEachTest();

  /** The head and the body of the answer, as bytes. */
  async function answerOf(middleware: Middleware, method = "GET"): Promise<readonly [string, string]> {
    const served = await test.serve((app) => app.use(middleware));
    const connection = await RawConnection.open(served.port);
    const answer = await connection.send(head(`${method} /added HTTP/1.1`, "Connection: close")).rest();
    connection.close();
    const end = answer.indexOf("\r\n\r\n");
    return [answer.slice(0, end).toLowerCase(), answer.slice(end + 4)];
  }

  for (const [name, middleware] of [
    [
      "Transfer-Encoding before a string",
      (ctx) => {
        ctx.set(CHUNKED);
        ctx.body = "hello";
      },
    ],
    [
      "Trailer, and the answer by itself",
      (ctx) => {
        ctx.respond = false;
        ctx.status = 200;
        ctx.set("Trailer", "X-T");
        ctx.res.addTrailers({ "X-T": "late" });
        ctx.res.end("hello");
      },
    ],
  ] as readonly (readonly [string, Middleware])[]) {
    it(`is in chunks, without a length, if a middleware sets ${name}`, async () => {
      const [fields, body] = await answerOf(middleware);
      expect(fields).to.match(/^http\/1\.1 200 /m);
      expect(fields.match(/^(transfer-encoding|content-length): .*$/gm)).to.deep.equal([
        "transfer-encoding: chunked",
      ]);
      expect(body).to.match(/^5\r\nhello\r\n0\r\n/);
    });
  }

  it("refuses a header that comes after the head, as Node does", async () => {
    let failure: unknown;
    const [fields, body] = await answerOf((ctx) => {
      ctx.respond = false;
      ctx.res.write("hello");
      for (const add of [
        () => ctx.res.setHeader("X-Late", "1"),
        () => ctx.res.appendHeader("X-Late", "1"),
        () => ctx.res.removeHeader("X-Late"),
      ]) {
        try {
          add();
          failure = "none";
          break;
        } catch (error) {
          failure = (error as NodeJS.ErrnoException).code;
        }
      }
      ctx.res.end();
    });
    expect(failure).to.equal("ERR_HTTP_HEADERS_SENT");
    expect(fields).not.to.contain("x-late");
    expect(body).to.equal("5\r\nhello\r\n0\r\n\r\n");
  });

  it("stays the same if the service begins to stop after the head was sent", async () => {
    const [, body] = await answerOf((ctx) => {
      test.app.stopping = true;
      ctx.status = 200;
      ctx.flushHeaders();
      ctx.body = "hello";
    });
    expect(body).to.equal("5\r\nhello\r\n0\r\n\r\n");
  });
});
