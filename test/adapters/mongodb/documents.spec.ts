import { expect } from "chai";
import { BSON, type Document, type FindCursor, Int32, Long } from "mongodb";
import { toArchived, toPet } from "../../../src/adapters/mongodb/documents.js";
import { readExactly } from "../../../src/adapters/mongodb/reading.js";
import { INT64_MAX, INT64_MIN } from "../../../src/domain/int64.js";
import { MALFORMED, REX } from "../../support/malformed-pet-documents.js";

/** Reads a document from its bytes, as a repository gets it. */
async function read(document: Document): Promise<Document> {
  const cursor = { toArray: async () => [BSON.serialize(document)] };
  const [found] = await readExactly(cursor as unknown as FindCursor<unknown>);
  return found as Document;
}

describe("A document of MongoDB", () => {
  for (const [what, document] of Object.entries(MALFORMED)) {
    it(`is no pet with ${what}, and is refused to a copy`, async () => {
      expect(toPet(await read(document))).to.equal(undefined);
      expect(() => toArchived(document)).to.throw(/give _id \S+ the members .*, or remove it$/);
    });
  }

  it("is no pet with an id below 1", async () => {
    for (const _id of [0n, -4n]) expect(toPet(await read({ ...REX, _id }))).to.equal(undefined);
  });

  const INTEGERS: Record<string, [stored: unknown, value: bigint]> = {
    "a 32-bit integer": [new Int32(-(2 ** 31)), -(2n ** 31n)],
    "the lowest int64": [INT64_MIN, INT64_MIN],
    "the highest int64": [Long.fromBigInt(INT64_MAX), INT64_MAX],
    "an int64 past 2^53": [2n ** 53n + 1n, 2n ** 53n + 1n],
    "an int64 with a high lower half": [-1n, -1n],
  };
  for (const [what, [stored, value]] of Object.entries(INTEGERS)) {
    it(`is read to the last digit: ${what}`, async () => {
      expect(toPet(await read({ ...REX, _id: 1n, categoryId: stored }))?.categoryId).to.equal(value);
    });
  }

  for (const idempotency of ["key", {}, { key: 5, fingerprint: "f" }, { key: "k" }, null]) {
    it(`is refused to a copy with the record ${JSON.stringify(idempotency)}`, async () => {
      const document = await read({ ...REX, _id: 3n, idempotency });
      expect(() => toArchived(document)).to.throw(/give _id 3 the members .*, or remove it$/);
    });
  }
});
