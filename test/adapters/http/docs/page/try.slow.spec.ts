import { expect } from "chai";
import { CODES } from "../../../../support/described.js";
import { DocumentationPage } from "../../../../support/documentation-page.js";
import { API_KEY } from "../../../../support/start-app.js";

describe("The documentation page, tried", () => {
  const docs = new DocumentationPage();

  it("creates pets and lists them, integers to the digit", async () => {
    await docs.openWithKey();
    const integers = ["9007199254740993", "9223372036854775807", "-9223372036854775808"];
    for (const integer of integers) {
      const answer = await docs.create(`{"name":"A \\"B\\" \\u00e9","categoryId":${integer}}`);
      expect(answer).to.contain("201 Created").and.contain(`"categoryId": ${integer},`);
    }
    await docs.field("listPets", "limit").fill("");
    const list = await docs.send("listPets");
    expect(list).to.contain('"name": "A \\"B\\" é"').and.contain("ms, the last page");
    for (const integer of integers) expect(list).to.contain(`"categoryId": ${integer},`);
  });

  it("follows Link to the next page with a button, until the last one", async () => {
    await docs.openWithKey();
    for (const name of ["one", "two", "three"]) {
      await docs.create(`{"name":"${name}","categoryId":1,"status":"pending"}`);
    }
    await docs.field("listPets", "limit").fill("2");
    await docs.field("listPets", "status").selectOption("pending");
    expect(await docs.send("listPets"))
      .to.contain('"one"')
      .and.contain('"two"')
      .and.not.contain("the last page");
    const last = await docs.send("listPets", "Next page");
    expect(last).to.contain('"three"').and.not.contain('"two"');
    expect(last).to.contain("the last page");
    expect(await docs.example("listPets").getByRole("button", { name: "Next page" }).count()).to.equal(0);
    expect(await docs.example("listPets").locator(".sample pre").innerText()).to.contain("cursor=");
    // A cursor belongs to its filter.
    await docs.field("listPets", "status").selectOption("sold");
    expect(await docs.field("listPets", "cursor").inputValue()).to.equal("");
    expect(await docs.send("listPets")).to.match(/200 in \d+ ms, the last page\s/);
  });

  it("sends each body with an Idempotency-Key of its own, and shows the answer to a repeat", async () => {
    await docs.openWithKey();
    const created = await docs.create('{"name":"Rex","categoryId":7}');
    const key = await docs.field("createPet", "Idempotency-Key").inputValue();
    expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(await docs.example("createPet").locator(".sample pre").innerText()).to.contain(key);
    const repeated = await docs.send("createPet");
    expect(repeated).to.contain("Idempotency-Replayed: true");
    const id = /"id": \d+/;
    expect(id.exec(repeated)?.[0]).to.equal(id.exec(created)?.[0]);
    expect(id.exec(await docs.create('{"name":"Rex","categoryId":8}'))?.[0]).not.to.equal(
      id.exec(created)?.[0],
    );
    await docs.field("createPet", "Idempotency-Key").fill(key);
    expect(await docs.send("createPet"))
      .to.contain('"code": "idempotency_key_reused"')
      .and.contain(CODES.idempotency_key_reused?.advice);
    docs.forgiveRefusals();
  });

  it("shows the remedy for an error, and asks for the key if it is missing", async () => {
    await docs.open();
    expect(await docs.send("listPets"))
      .to.contain("401 Unauthorized")
      .and.contain("WWW-Authenticate")
      .and.contain(CODES.missing_credentials?.advice);
    expect(await docs.page.evaluate("document.activeElement.id")).to.equal("key");
    docs.forgiveRefusals();
  });

  it("keeps the key for this tab, and only for it", async () => {
    await docs.openWithKey();
    await docs.page.reload();
    expect(await docs.page.getByLabel("API key").inputValue()).to.equal(API_KEY);
    expect(await docs.page.evaluate("JSON.stringify(localStorage) + document.cookie")).to.equal("{}");
  });

  it("has fields to try every operation except GET /store/orders, which it labels beta", async () => {
    await docs.openWithKey();
    for (const operationId of ["listPets", "createPet", "getPet"])
      expect(await docs.example(operationId).locator("form").count()).to.equal(1);
    const orders = docs.page.locator("#getStoreOrders");
    expect(await orders.innerText())
      .to.contain("/v1/store/orders")
      .and.contain("Beta");
    expect(await orders.locator("form, input, textarea, [type=submit]").count()).to.equal(0);
    // The buttons of this operation show a request and never send it.
    docs.page.on("request", (request) => docs.complaints.push(`sent ${request.url()}`));
    for (const button of await orders.getByRole("button").all()) await button.click();
  });

  it("can be used with the keyboard alone", async () => {
    await docs.open();
    await docs.page.keyboard.press("Tab");
    const focused = await docs.page.evaluate("document.activeElement.textContent");
    expect(focused).to.contain("Skip to the documentation");
    await docs.page.keyboard.press("Enter");
    expect(await docs.page.evaluate("document.activeElement.id")).to.equal("main");
    await docs.page.getByLabel("API key").focus();
    await docs.page.keyboard.type(API_KEY);
    await docs.field("listPets", "cursor").focus();
    await docs.page.keyboard.press("Tab");
    await docs.page.keyboard.press("Enter");
    const answer = docs.example("listPets").locator(".live", { hasText: /200 in/ });
    await answer.waitFor();
  });
});
