import { expect } from "chai";
import type { Answer } from "../../../support/client.js";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../support/expect-error.js";
import type { StartedApp } from "../../../support/start-app.js";
import { describeApp } from "../../../support/use-app.js";

function idsOf({ status, text }: Answer): number[] {
  expect(status, text).to.equal(200);
  return JSON.parse(text).map(({ id }: { id: number }) => id);
}

async function createPets(app: StartedApp, count: number, status = "available"): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const created = await post(app, `{"name":"Pet ${number}","categoryId":${number},"status":"${status}"}`);
    expect(created.status).to.equal(201);
  }
}

describeApp("GET /v1/pets", (app) => {
  it("answers an empty catalogue with 200 and an empty array", async () => {
    const answer = await get(app(), "/v1/pets");
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal("[]");
    expectJson(answer);
  });

  it("answers a bare array of pets, each with exactly id, name, categoryId and status", async () => {
    await post(app(), '{"name":"Rex","categoryId":7,"status":"sold"}');
    const answer = await get(app(), "/v1/pets");
    expectJson(answer);
    expect(JSON.parse(answer.text)).to.deep.equal([{ id: 1, name: "Rex", categoryId: 7, status: "sold" }]);
  });

  it("lists in ascending order of id, 20 if no limit is given", async () => {
    await createPets(app(), 21);
    expect(idsOf(await get(app(), "/v1/pets"))).to.deep.equal(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it("lists at most as many pets as limit says, from 1 to 100", async () => {
    await createPets(app(), 101);
    expect(idsOf(await get(app(), "/v1/pets?limit=1"))).to.deep.equal([1]);
    expect(idsOf(await get(app(), "/v1/pets?limit=0001"))).to.deep.equal([1]);
    expect(idsOf(await get(app(), "/v1/pets?limit=99"))).to.have.length(99);
    expect(idsOf(await get(app(), "/v1/pets?limit=100"))).to.have.length(100);
  });

  it("lists only the pets with the status that is asked for", async () => {
    await createPets(app(), 1, "available");
    await createPets(app(), 2, "pending");
    await createPets(app(), 1, "sold");
    expect(idsOf(await get(app(), "/v1/pets"))).to.deep.equal([1, 2, 3, 4]);
    expect(idsOf(await get(app(), "/v1/pets?status=available"))).to.deep.equal([1]);
    expect(idsOf(await get(app(), "/v1/pets?status=pending"))).to.deep.equal([2, 3]);
    expect(idsOf(await get(app(), "/v1/pets?status=sold&limit=5"))).to.deep.equal([4]);
  });

  for (const limit of "+5|1e1|5.0||0|101|-1| 5|5 |0x1|٣|9999999999999999999|1_0|NaN|null|five|5,0|00".split(
    "|",
  )) {
    it(`refuses limit=${limit} with 400 invalid_parameter: never clamped, never guessed`, async () => {
      const answer = await get(app(), `/v1/pets?limit=${encodeURIComponent(limit)}`);
      expectError(answer, 400, "invalid_parameter");
      expect(JSON.parse(answer.text).message).to.contain("limit");
    });
  }

  it("refuses a limit written with a plus, which a query string reads as a space", async () => {
    expectError(await get(app(), "/v1/pets?limit=+5"), 400, "invalid_parameter");
  });

  for (const status of [
    "",
    "Available",
    "available ",
    "lost",
    CANARY,
    "available,sold",
    "%zz",
    "%ff",
    "%00",
  ]) {
    it(`refuses status=${status} with 400 invalid_parameter`, async () => {
      const answer = await get(app(), `/v1/pets?status=${status.replace(" ", "%20")}`);
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

  for (const query of [
    "state=sold",
    "Limit=5",
    "limit[]=5",
    "=5",
    "toString=1",
    "__proto__=1",
    "offset=3",
    "%00=1",
  ]) {
    it(`refuses the unknown parameter of ?${query} with 400 unknown_parameter`, async () => {
      expectError(await get(app(), `/v1/pets?${query}`), 400, "unknown_parameter");
    });
  }

  it("names an unknown parameter only if its name is short and plain", async () => {
    expect((await get(app(), "/v1/pets?state=sold")).text).to.contain("state is not known");
    expectError(await get(app(), `/v1/pets?${CANARY}${"x".repeat(40)}=1`), 400, "unknown_parameter");
    expectError(await get(app(), `/v1/pets?%22${CANARY}%22=1`), 400, "unknown_parameter");
  });

  for (const query of [
    "limit=5&limit=5",
    "limit=5&%6Cimit=6",
    "status=sold&status=sold",
    "cursor=a&cursor=b",
    "limit&limit",
  ]) {
    it(`refuses ?${query} with 400 duplicate_parameter`, async () => {
      expectError(await get(app(), `/v1/pets?${query}`), 400, "duplicate_parameter");
    });
  }
});
