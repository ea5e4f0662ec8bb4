import { expect } from "chai";
import fc from "fast-check";
import { pino } from "pino";
import { STATUS_OF_CODE, type WireErrorCode } from "../../../src/adapters/http/http-error.js";
import { expectError } from "../../support/expect-error.js";
import { head, RawConnection } from "../../support/raw-http.js";
import { type StartedApp, startApp } from "../../support/start-app.js";

const BODY = '{"name":"Rex","categoryId":1,"status":"sold","x":[1.5e3,{"y":null}]}';
const TYPE = "Content-Type: application/json";
const REQUESTS = [
  head("GET /v1/pets?limit=5&status=sold HTTP/1.1", "Accept: application/json, */*;q=0.1"),
  head("GET /v1/pets/1 HTTP/1.1", "Prefer: handling=strict"),
  head("OPTIONS /v1/pets HTTP/1.1"),
  head("POST /v1/pets HTTP/1.1", 'Idempotency-Key: "k"', TYPE, `Content-Length: ${BODY.length}`) + BODY,
  `${head("POST /v1/pets HTTP/1.1", TYPE, "Transfer-Encoding: chunked")}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
];

const damages = fc.array(
  fc.record({
    place: fc.nat({ max: 400 }),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 3 }),
      fc.constantFrom(...'\n\0\xff :%\\"{[#', "\r\n", "9999999999999999999", "HTTP/1.1", "%00", "http://["),
    ),
  }),
  { maxLength: 3 },
);

describe("No input", () => {
  const lines: string[] = [];
  let app: StartedApp;
  before(async () => {
    app = await startApp({ log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });
  });
  after(() => app.close());

  it("gets a 500, a response in another shape, or none at all (property)", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REQUESTS), damages, async (request, damage) => {
        const bytes = damage.reduce((text, { place, removed, inserted }) => {
          const at = place % (text.length + 1);
          return text.slice(0, at) + inserted + text.slice(at + removed);
        }, request);
        const connection = await RawConnection.open(app.port);
        connection.send(bytes).finishSending();
        const answer = await connection.answer();
        statuses.add(answer.status);
        expect(answer.status, answer.text).to.be.below(500);
        if (answer.status >= 400) {
          const { code } = JSON.parse(answer.text) as { code: WireErrorCode };
          expectError(answer, STATUS_OF_CODE[code], code);
        }
        expect(await connection.rest()).to.match(/^(HTTP\/1\.1 [1-4]\d\d [\s\S]*)?$/);
        connection.close();
      }),
      { numRuns: 400 },
    );
    expect(lines).to.deep.equal([]);
    expect([...statuses], "damage is not too small or too great").to.include.members([200, 400, 401]);
  });
});
