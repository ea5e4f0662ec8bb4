import { crc32 } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../../../src/adapters/http/pets/list.js";
import { INT64_MAX, INT64_MIN, PET_STATUSES, type PetStatus } from "../../../../src/domain/pet.js";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../support/expect-error.js";
import { buildApp, describeApp } from "../../../support/start-app.js";

describeApp("GET /v1/pets", (app) => {
  it("returns a bare array of pets, each with exactly id, name, categoryId and status", async () => {
    expect((await get(app(), "/v1/pets")).text).to.equal("[]");
    await post(app(), '{"name":"Rex","categoryId":7,"status":"sold"}');
    const answer = await get(app(), "/v1/pets");
    expectJson(answer);
    expect(answer.text).to.equal('[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]');
  });

  const limits = ["+5", "1e1", "5.0", "", "٣", "9999999999999999999"];
  for (const [query, code, message] of [
    ...limits.map((limit) => [`limit=${encodeURIComponent(limit)}`, "invalid_parameter", "limit"] as const),
    ["state=sold", "unknown_parameter", "limit, status, cursor"],
    [`${CANARY}%20=1`, "unknown_parameter", "A query parameter"],
    ["?limit=1", "unknown_parameter", "A query parameter"],
    ["__proto__=1", "unknown_parameter", "A query parameter"],
    ["limit=1&status=sold&limit=1", "duplicate_parameter", "limit"],
    [`cursor=${"A".repeat(4000)}`, "invalid_cursor", "cursor"],
  ] as const) {
    it(`rejects ?${query.slice(0, 40)} with ${code}`, async () => {
      const answer = await get(app(), `/v1/pets?${query}`);
      expectError(answer, 400, code);
      expect(JSON.parse(answer.text).message).to.contain(message);
    });
  }
});

describe("The pages of GET /v1/pets", () => {
  for (const publicUrl of [undefined, "https://pets.example.org"]) {
    it(`link to the next under ${publicUrl ?? "its path"}, whatever the Host header says`, async () => {
      const app = buildApp({ settings: { publicUrl } });
      for (let n = 0; n < 2; n++) await post(app, '{"name":"Rex","categoryId":1,"status":"sold"}');
      const headers = { Host: "evil.test" };
      const { link } = (await get(app, "/v1/pets?status=sold&limit=1", { headers })).headers;
      const path = "/v1/pets\\?limit=1&status=sold&cursor=[\\w-]+";
      expect(link).to.match(new RegExp(`^<${publicUrl ?? ""}${path}>; rel="next"$`));
    });
  }

  it("show each pet once, in order of id, though the limit changes; the default is 20", async () => {
    const app = buildApp();
    for (let n = 1; n <= 25; n++) await post(app, `{"name":"${n}","categoryId":1}`);
    const page = async (target: string) => {
      const { headers, text } = await get(app, target);
      return { pets: JSON.parse(text), next: `${/<(.*)>/.exec(headers.link ?? "")?.[1]}` };
    };
    const first = await page("/v1/pets?limit=02");
    const second = await page(first.next.replace("limit=2", "limit=3"));
    const third = await page(second.next.replace("limit=3&", ""));
    const ids = [...first.pets, ...second.pets, ...third.pets].map(({ id }) => id);
    expect(ids).to.deep.equal(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(third.next).to.equal("undefined");
  });
});

const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const FILTERS = [undefined, ...PET_STATUSES];
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \u0000é";

const expectRejected = (cursor: string, status: PetStatus | undefined) =>
  expect(() => decodeCursor(cursor, status), cursor)
    .to.throw()
    .with.property("code", "invalid_cursor");

describe("A cursor", () => {
  it("is URL-safe, and valid for any int64 and for its own filter only", () => {
    fc.assert(
      fc.property(anyId, fc.constantFrom(...FILTERS), (id, status) => {
        const cursor = encodeCursor(id, status);
        expect(cursor).to.match(/^[\w-]+$/);
        expect(decodeCursor(cursor, status)).to.equal(id);
        for (const another of FILTERS) if (another !== status) expectRejected(cursor, another);
      }),
    );
  });

  it("is the same in every release", () => {
    const cursors = FILTERS.map((status) => encodeCursor(258n, status));
    expect(cursors).to.deep.equal([
      "AQAAAAAAAAABAvtdUyU",
      "AQEAAAAAAAABAuwmR2Y",
      "AQIAAAAAAAABAtWre6M",
      "AQMAAAAAAAABAsLQb-A",
    ]);
  });

  it("is rejected if it is changed, cut, extended, or of another version with a valid checksum", () => {
    const cursor = encodeCursor(1234n, "sold");
    const bytes = Buffer.from(cursor, "base64url");
    bytes.writeUInt8(2, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 10)), 10);
    const others = [`${cursor}A`, `${cursor}=`, cursor + cursor, bytes.toString("base64url")];
    for (let index = 0; index < cursor.length; index++) {
      const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
      others.push(before, ...Array.from(CHARACTERS, (character) => before + character + after));
    }
    for (const other of others) if (other !== cursor) expectRejected(other, "sold");
  });
});
