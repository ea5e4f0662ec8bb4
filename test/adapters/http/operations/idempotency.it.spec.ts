import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { describeApp } from "../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

describeApp("Idempotency-Key", (app) => {
  const create = (idempotencyKey: string | string[], body = BODY) =>
    post(app(), body, { headers: { "Idempotency-Key": idempotencyKey } });
  const count = async () => JSON.parse((await get(app(), "/v1/pets")).text).length;

  it("answers the same request again with the same 201 and pet, and Idempotency-Replayed", async () => {
    const first = await create("key-1");
    const again = await create("key-1");
    expect([first.status, again.status]).to.deep.equal([201, 201]);
    expect(again.text).to.equal(first.text);
    expect(again.headers.location).to.equal("/v1/pets/1");
    expect(first.headers).not.to.have.property("idempotency-replayed");
    expect(again.headers["idempotency-replayed"]).to.equal("true");
    expect(await count()).to.equal(1);
  });

  it("answers another body under the same key with 400 idempotency_key_reused, even if only a space differs", async () => {
    await create("key-1");
    for (const body of ['{"name":"Tom","categoryId":1}', '{"name":"Rex", "categoryId":1}']) {
      expectError(await create("key-1", body), 400, "idempotency_key_reused");
    }
    expect(await count()).to.equal(1);
    expect((await create("key-1")).status).to.equal(201);
  });

  it("takes a bare key and the same one in double quotes as one key", async () => {
    await create("key-1");
    expect((await create('"key-1"')).headers["idempotency-replayed"]).to.equal("true");
    await create('"key-2"');
    expect((await create("key-2")).headers["idempotency-replayed"]).to.equal("true");
    expect(await count()).to.equal(2);
  });

  it("tells keys apart by every character, and by case", async () => {
    for (const key of ["key", "Key", "key.", 'key"', "ke"]) {
      expect((await create(key)).headers, key).not.to.have.property("idempotency-replayed");
    }
    expect(await count()).to.equal(5);
  });

  it("takes keys of 1 to 255 visible ASCII characters; the quotes do not count", async () => {
    const visible = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("");
    for (const key of ["x", "x".repeat(255), `"${"y".repeat(255)}"`, visible.replace('"', "")]) {
      expect((await create(key)).status, key).to.equal(201);
    }
  });

  for (const key of [
    "",
    '""',
    '"',
    `"${CANARY}`,
    `${CANARY} ${CANARY}`,
    `${CANARY}\t`.repeat(2),
    `${CANARY}\xe9`,
    "x".repeat(256),
    `"${"x".repeat(256)}"`,
    `"${CANARY}" `.repeat(2),
  ]) {
    it(`refuses the key ${JSON.stringify(key.slice(0, 30))} with 400 invalid_idempotency_key`, async () => {
      expectError(await create(key), 400, "invalid_idempotency_key");
      expect(await count()).to.equal(0);
    });
  }

  it("refuses two keys on one request with 400 invalid_idempotency_key", async () => {
    expectError(await create(["key-1", "key-1"]), 400, "invalid_idempotency_key");
    expect(await count()).to.equal(0);
  });

  it("leaves the key of a refused create free", async () => {
    expectError(await create("key-1", '{"name":"","categoryId":1}'), 400, "invalid_field");
    expectError(await create("key-1", '{"name":"Rex"'), 400, "invalid_json");
    const created = await create("key-1");
    expect(created.status).to.equal(201);
    expect(created.headers).not.to.have.property("idempotency-replayed");
  });

  it("is optional: two equal requests without one make two pets", async () => {
    await post(app(), BODY);
    await post(app(), BODY);
    expect(await count()).to.equal(2);
  });
});
