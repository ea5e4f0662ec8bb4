import { expect } from "chai";
import { type Answer, get, post } from "../../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../../support/expect-error.js";
import type { BuiltApp } from "../../../../support/start-app.js";
import { describeApp } from "../../../../support/use-app.js";

function idsOf({ status, text }: Answer): number[] {
  expect(status, text).to.equal(200);
  return JSON.parse(text).map(({ id }: { id: number }) => id);
}

async function createPets(app: BuiltApp, count: number, status = "available"): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const created = await post(app, `{"name":"Pet ${number}","categoryId":${number},"status":"${status}"}`);
    expect(created.status).to.equal(201);
  }
}

describeApp("GET /v1/pets", (app) => {
  it("answers a bare array of pets, each with exactly id, name, categoryId and status", async () => {
    expect((await get(app(), "/v1/pets")).text).to.equal("[]");
    await post(app(), '{"name":"Rex","categoryId":7,"status":"sold"}');
    const answer = await get(app(), "/v1/pets");
    expectJson(answer);
    expect(answer.text).to.equal('[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]');
  });

  it("lists at most as many pets as limit says, and only those with the status that is asked for", async () => {
    for (const status of ["available", "pending", "sold"]) await createPets(app(), 2, status);
    expect(idsOf(await get(app(), "/v1/pets"))).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(idsOf(await get(app(), "/v1/pets?limit=0003"))).to.deep.equal([1, 2, 3]);
    expect(idsOf(await get(app(), "/v1/pets?status=available"))).to.deep.equal([1, 2]);
    expect(idsOf(await get(app(), "/v1/pets?status=pending&limit=100"))).to.deep.equal([3, 4]);
    expect(idsOf(await get(app(), "/v1/pets?status=sold&limit=1"))).to.deep.equal([5]);
  });

  for (const limit of ["+5", "1e1", "5.0", "", "0", "101", "-1", " 5", "٣", "9999999999999999999", "00"]) {
    it(`refuses limit=${limit} with 400 invalid_parameter: never clamped, never guessed`, async () => {
      const answer = await get(app(), `/v1/pets?limit=${encodeURIComponent(limit)}`);
      expectError(answer, 400, "invalid_parameter");
      expect(JSON.parse(answer.text).message).to.contain("limit");
    });
  }

  for (const status of ["", "Available", "available%20", CANARY, "available,sold", "%zz"]) {
    it(`refuses status=${status} with 400 invalid_parameter`, async () => {
      const answer = await get(app(), `/v1/pets?status=${status}`);
      expectError(answer, 400, "invalid_parameter");
      expect(JSON.parse(answer.text).message).to.match(/^status must be one of available, pending, sold\./);
    });
  }

  it("reads percent-encoded names and values", async () => {
    await createPets(app(), 3);
    expect(idsOf(await get(app(), "/v1/pets?%6cimit=%32&st%61tus=avail%61ble"))).to.deep.equal([1, 2]);
  });

  it("ignores an empty query and empty parts of one", async () => {
    await createPets(app(), 2);
    for (const query of ["?", "?&", "?&&limit=2&"]) {
      expect(idsOf(await get(app(), `/v1/pets${query}`)), query).to.deep.equal([1, 2]);
    }
  });

  for (const [query, name] of [
    ["state=sold", "state"],
    ["Limit=5", "Limit"],
    ["toString=1", "toString"],
    ["=5", "A query parameter"],
    ["__proto__=1", "A query parameter"],
    [`%22${CANARY}%22=1`, "A query parameter"],
    [`${CANARY}${"x".repeat(40)}=1`, "A query parameter"],
  ] as const) {
    it(`refuses the parameter of ?${query} with 400 unknown_parameter, as "${name}"`, async () => {
      const answer = await get(app(), `/v1/pets?${query}`);
      expectError(answer, 400, "unknown_parameter");
      expect(answer.text).to.contain(`"${name} is not known here`);
    });
  }

  for (const query of ["limit=5&%6Cimit=6", "status=sold&status=sold", "cursor=a&cursor=b", "limit&limit"]) {
    it(`refuses ?${query} with 400 duplicate_parameter`, async () => {
      expectError(await get(app(), `/v1/pets?${query}`), 400, "duplicate_parameter");
    });
  }
});
