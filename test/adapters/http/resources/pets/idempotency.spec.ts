import { expect } from "chai";
import { get, post } from "../../../../support/client.js";
import { CANARY, expectError } from "../../../../support/expect-error.js";
import { buildApp, FixedKeys } from "../../../../support/start-app.js";
import { describeApp } from "../../../../support/use-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

describeApp("Idempotency-Key", (app) => {
  const create = (idempotencyKey: string | string[], body = BODY) =>
    post(app(), body, { headers: { "Idempotency-Key": idempotencyKey } });
  const count = async () => JSON.parse((await get(app(), "/v1/pets")).text).length;

  // `every-storage.ts` has what a key is for.
  it("tells bodies apart even if only a space differs: 400 idempotency_key_reused", async () => {
    await create("key-1");
    const spaced = '{"name":"Rex", "categoryId":1}';
    expectError(await create("key-1", spaced), 400, "idempotency_key_reused");
    expect((await create("key-1")).headers["idempotency-replayed"]).to.equal("true");
  });

  it("takes a bare key and the same one in double quotes as one key", async () => {
    await create("key-1");
    expect((await create('"key-1"')).headers["idempotency-replayed"]).to.equal("true");
    await create('"key-2"');
    expect((await create("key-2")).headers["idempotency-replayed"]).to.equal("true");
    expect(await count()).to.equal(2);
  });

  it("keeps the keys of two API keys apart", async () => {
    const shared = await buildApp({ keyVerifier: new FixedKeys("ann", "bob") });
    for (const key of ["ann", "bob"]) {
      const { headers } = await post(shared, BODY, { headers: { "Idempotency-Key": "key-1" }, key });
      expect(headers).not.to.have.property("idempotency-replayed");
    }
    await shared.close();
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

  for (const key of ["", '""', `"${CANARY}`, `a ${CANARY}`, "x".repeat(256), ["key-1", "key-1"]]) {
    it(`refuses the key ${JSON.stringify(key.slice(0, 30))} with 400 invalid_idempotency_key`, async () => {
      const answer = await create(key);
      expectError(answer, 400, "invalid_idempotency_key");
      expect(answer.text).to.include("must be sent once");
      expect(await count()).to.equal(0);
    });
  }
});
