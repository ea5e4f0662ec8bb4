import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../support/expect-error.js";
import type { StartedApp } from "../../../support/start-app.js";
import { describeApp } from "../../../support/use-app.js";

async function expectEmptyCatalogue(app: StartedApp): Promise<void> {
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

  it("gives a pet without a status the status available, and stores it", async () => {
    const answer = await post(app(), '{"name":"Rex","categoryId":7}');
    expect(JSON.parse(answer.text)).to.deep.equal({ id: 1, name: "Rex", categoryId: 7, status: "available" });
    expect((await get(app(), "/v1/pets?status=available")).text).to.equal(`[${answer.text}]`);
  });

  it("assigns ids from 1 upwards, each once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post(app(), '{"name":"a","categoryId":1}')),
    );
    const ids = answers.map(({ text }) => JSON.parse(text).id).sort((a, b) => a - b);
    expect(new Set(ids)).to.have.property("size", 30);
    expect(ids[0]).to.equal(1);
  });

  it("counts the length of a name, 1 to 255, in code points", async () => {
    for (const name of ["x", "x".repeat(255), "🐕".repeat(255)]) {
      expect((await post(app(), JSON.stringify({ name, categoryId: 1 }))).status).to.equal(201);
    }
    for (const name of ["", "x".repeat(256), "🐕".repeat(256), "x".repeat(5000)]) {
      const answer = await post(app(), JSON.stringify({ name, categoryId: 1 }));
      expectError(answer, 400, "invalid_field");
      expect(answer.text).to.contain("name must");
    }
  });

  for (const name of [
    " ",
    "\\t",
    "\\u00a0\\u2003\\u3000",
    `${CANARY}\\u0000`,
    `${CANARY}\\u001f`,
    `${CANARY}\\u007f`,
    `${CANARY}\\u0080`,
    `${CANARY}\\u009f`,
    `${CANARY}\\n`,
    `${CANARY}\\ud83d`,
    `\\udc00${CANARY}`,
    `\\udc00\\ud83d${CANARY}`,
  ]) {
    it(`refuses the name "${name}" with 400 invalid_field`, async () => {
      expectError(await post(app(), `{"name":"${name}","categoryId":1}`), 400, "invalid_field");
      await expectEmptyCatalogue(app());
    });
  }

  for (const body of [
    `{"name":"${CANARY}"}`,
    '{"categoryId":1}',
    '{"status":"sold"}',
    "{}",
    `{"Name":"${CANARY}","categoryId":1}`,
    `{"name ":"${CANARY}","categoryId":1}`,
  ]) {
    it(`refuses ${body}, which lacks a member, with 400 missing_field`, async () => {
      const answer = await post(app(), body);
      expectError(answer, 400, "missing_field");
      expect(JSON.parse(answer.text).message).to.match(/^(name|categoryId) is required/);
      await expectEmptyCatalogue(app());
    });
  }

  for (const value of ["null", "5", "true", "[]", "{}", `["${CANARY}"]`, `{"a":"${CANARY}"}`]) {
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

  for (const status of ["", "Available", "lost", CANARY, "toString"]) {
    it(`refuses the status "${status}" with 400 invalid_field`, async () => {
      const answer = await post(app(), `{"name":"a","categoryId":1,"status":"${status}"}`);
      expectError(answer, 400, "invalid_field");
      await expectEmptyCatalogue(app());
    });
  }

  it("ignores unknown members, id among them, and never stores them", async () => {
    const body =
      '{"id":99,"name":"a","categoryId":1,"owner":{"x":[1,{"y":2}]},"__proto__":{"status":"sold"}}';
    const created = await post(app(), body);
    expect(created.text).to.equal('{"id":1,"name":"a","categoryId":1,"status":"available"}');
    expect((await get(app(), "/v1/pets")).text).to.equal(`[${created.text}]`);
  });

  it("ignores a query", async () => {
    const { port } = app();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=0&limit=x&state=1`, {
      method: "POST",
      headers: { Authorization: "Bearer petstore_test-key", "Content-Type": "application/json" },
      body: '{"name":"a","categoryId":1}',
    });
    expect(answer.status).to.equal(201);
  });
});

describeApp("Prefer: handling=strict", (app) => {
  const strictly = (body: string, prefer: string | string[] = "handling=strict") =>
    post(app(), body, { headers: { Prefer: prefer } });

  it("refuses an unknown member with 400 unknown_field, and names it if it is short and plain", async () => {
    const answer = await strictly('{"name":"a","categoryId":1,"colour":"red"}');
    expectError(answer, 400, "unknown_field");
    expect(answer.text).to.contain("colour is not known");
    await expectEmptyCatalogue(app());
  });

  for (const member of [
    "id",
    "__proto__",
    "toString",
    "constructor",
    `${CANARY} `,
    `${CANARY}${"x".repeat(30)}`,
  ]) {
    it(`refuses the member "${member}"`, async () => {
      expectError(await strictly(`{"name":"a","categoryId":1,"${member}":1}`), 400, "unknown_field");
      await expectEmptyCatalogue(app());
    });
  }

  it("takes a body of known members alone", async () => {
    expect((await strictly('{"name":"a","categoryId":1,"status":"sold"}')).status).to.equal(201);
  });

  for (const prefer of [
    'handling="strict"',
    "Handling=Strict",
    "handling = strict",
    "handling=strict; x=1",
    "return=minimal, handling=strict",
    'foo="a, \\"b", handling=strict',
    ["return=minimal", "handling=strict"],
    "handling=strict, handling=lenient",
  ]) {
    it(`is understood as ${JSON.stringify(prefer)}`, async () => {
      expectError(await strictly('{"name":"a","categoryId":1,"x":1}', prefer), 400, "unknown_field");
    });
  }

  for (const prefer of [
    "handling=lenient",
    "handling",
    "strict",
    "xhandling=strict",
    "respond-async; handling=strict",
    'foo="handling=strict"',
    'foo=", handling=strict',
    "handling=lenient, handling=strict",
    "",
  ]) {
    it(`is not meant by ${JSON.stringify(prefer)}`, async () => {
      expect((await strictly('{"name":"a","categoryId":1,"x":1}', prefer)).status).to.equal(201);
    });
  }
});
