import { expect } from "chai";
import fc from "fast-check";
import { pino } from "pino";
import { STATUS_OF_CODE } from "../../../../src/adapters/http/answer/error-codes.js";
import { expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { useServer } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1,"status":"sold","x":[1.5e3,{"y":null}]}';
const TYPE = "Content-Type: application/json";

/** Requests to start from; each ends its connection, so that the last answer is known to be the last. */
const REQUESTS = [
  head("GET /v1/pets?limit=5&status=sold HTTP/1.1", "Accept: application/json, */*;q=0.1"),
  head("GET /v1/pets/1 HTTP/1.1", "Prefer: handling=strict"),
  head("OPTIONS /v1/pets HTTP/1.1", "Expect: 100-continue"),
  head("POST /v1/pets HTTP/1.1", 'Idempotency-Key: "k"', TYPE, `Content-Length: ${BODY.length}`) + BODY,
  `${head("POST /v1/pets HTTP/1.1", TYPE, "Transfer-Encoding: chunked")}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
];

/** Replaces some bytes at some place by others. */
interface Damage {
  readonly place: number;
  readonly removed: number;
  readonly inserted: string;
}

const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    place: fc.nat({ max: 400 }),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 3 }),
      fc.constantFrom(...'\n\0\xff :%\\"{[', "\r\n", "9999999999999999999", "HTTP/1.1", "%00"),
    ),
  }),
  { maxLength: 3 },
);

function damaged(text: string, damage: readonly Damage[]): string {
  return damage.reduce((bytes, { place, removed, inserted }) => {
    const at = place % (bytes.length + 1);
    return bytes.slice(0, at) + inserted + bytes.slice(at + removed);
  }, text);
}

describe("No input", () => {
  const lines: string[] = [];
  const app = useServer({ log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });

  it("gets a 500, an answer in a wrong shape, or no answer at all (property)", async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REQUESTS), damages, async (request, damage) => {
        const connection = await RawConnection.open(app().port);
        try {
          connection.send(damaged(request, damage)).finishSending();
          const answer = await connection.answer();
          statuses.add(answer.status);
          expect(answer.status, answer.text).to.be.below(500);
          if (answer.status >= 400) {
            const { code } = JSON.parse(answer.text) as { code: keyof typeof STATUS_OF_CODE };
            expectError(answer, STATUS_OF_CODE[code], code);
          }
          // Only answers follow, and then the connection ends.
          expect(await connection.rest()).to.match(/^(HTTP\/1\.1 [1-4]\d\d [\s\S]*)?$/);
        } finally {
          connection.close();
        }
      }),
      { numRuns: 400 },
    );
    expect(lines).to.deep.equal([]);
    const what = "the damage is neither too small nor too great";
    expect([...statuses], what).to.include.members([200, 400, 401]);
  });
});
