import { expect } from "chai";
import { get, post, send } from "../../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../../support/expect-error.js";
import type { BuiltApp } from "../../../../support/start-app.js";
import { describeApp } from "../../../../support/use-app.js";

async function expectEmptyCatalogue(app: BuiltApp): Promise<void> {
  expect((await get(app, "/v1/pets")).text).to.equal("[]");
}

describeApp("POST /v1/pets", (app) => {
  it("answers 201 with the created pet, its id and its Location", async () => {
    const answer = await post(app(), '{"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.status).to.equal(201);
    expectJson(answer);
    expect(answer.text).to.equal('{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.headers.location).to.equal("/v1/pets/1");
    expect(answer.headers).not.to.have.property("idempotency-replayed");
    expect((await get(app(), answer.headers.location ?? "")).text).to.equal(answer.text);
  });

  // `pet.spec.ts` has the rules of names in full.
  it("refuses a name that breaks a rule with 400 invalid_field", async () => {
    const answer = await post(app(), `{"name":"${CANARY}\\u0080","categoryId":1}`);
    expectError(answer, 400, "invalid_field");
    expect(answer.text).to.contain("name must");
    await expectEmptyCatalogue(app());
  });

  for (const body of [`{"name":"${CANARY}"}`, "{}", `{"Name":"${CANARY}","categoryId":1}`]) {
    it(`refuses ${body}, which lacks a member, with 400 missing_field`, async () => {
      const answer = await post(app(), body);
      expectError(answer, 400, "missing_field");
      expect(JSON.parse(answer.text).message).to.match(/^(name|categoryId) is required/);
      await expectEmptyCatalogue(app());
    });
  }

  for (const value of ["null", "5", `["${CANARY}"]`]) {
    it(`refuses ${value} as name and as status with 400 invalid_field`, async () => {
      const name = await post(app(), `{"name":${value},"categoryId":1}`);
      expectError(name, 400, "invalid_field");
      expect(JSON.parse(name.text).message).to.match(/^name must /);
      const status = await post(app(), `{"name":"a","categoryId":1,"status":${value}}`);
      expectError(status, 400, "invalid_field");
      expect(JSON.parse(status.text).message).to.match(/^status must be one of available, pending, sold/);
      await expectEmptyCatalogue(app());
    });
  }

  it("ignores a query", async () => {
    const headers = { "Content-Type": "application/json" };
    const body = '{"name":"a","categoryId":1}';
    const answer = await send(app(), "POST", "/v1/pets?limit=0&limit=x&state=1", { headers, body });
    expect(answer.status).to.equal(201);
  });
});

describeApp("Prefer: handling=strict", (app) => {
  // `prefer.spec.ts` has every way to write it, and `list.it.spec.ts` every name that a message may not show.
  for (const [member, name] of Object.entries({ colour: "colour", [`${CANARY} `]: "A member of the body" })) {
    it(`refuses the member "${member}" with 400 unknown_field, as "${name}"`, async () => {
      const headers = { Prefer: ["return=minimal", "handling=strict"] };
      const answer = await post(app(), `{"name":"a","categoryId":1,"${member}":1}`, { headers });
      expectError(answer, 400, "unknown_field");
      expect(answer.text).to.contain(`"${name} is not known here`);
      await expectEmptyCatalogue(app());
    });
  }
});
