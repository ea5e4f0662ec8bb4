import { expect } from "chai";
import { DocumentationPage } from "../../support/documentation-page.js";
import { API_KEY } from "../../support/start-app.js";

describe("The documentation page, tried", function () {
  this.timeout(60_000);
  const docs = new DocumentationPage();

  /** The cells of the table of pets, row by row. */
  function table(): Promise<string[][]> {
    return docs
      .example("listPets")
      .locator(".pets tbody")
      .evaluate((body) =>
        [...(body as unknown as { rows: { cells: { textContent: string }[] }[] }).rows].map((row) =>
          [...row.cells].map(({ textContent }) => textContent),
        ),
      );
  }

  it("creates pets and shows them as a table beside the raw JSON, integers to the digit in both", async () => {
    await docs.openWithKey();
    const integers = ["9007199254740993", "9223372036854775807", "-9223372036854775808"];
    for (const integer of integers) {
      const answer = await docs.create(`{"name":"A \\"B\\" \\u00e9","categoryId":${integer}}`);
      expect(answer).to.contain("201 Created").and.contain(`"categoryId": ${integer},`);
    }
    await docs.field("listPets", "limit").fill("");
    const list = await docs.send("listPets");
    expect(await table()).to.deep.equal(
      integers.map((integer, i) => [String(i + 1), 'A "B" é', integer, "available"]),
    );
    for (const integer of integers) expect(list).to.contain(`"categoryId": ${integer},`);
  });

  it("follows Link to the next page with a button, until the last one", async () => {
    await docs.openWithKey();
    for (const name of ["one", "two", "three"]) {
      await docs.create(`{"name":"${name}","categoryId":1,"status":"pending"}`);
    }
    const names = async () => (await table()).map(([, name]) => name);
    await docs.field("listPets", "limit").fill("2");
    await docs.field("listPets", "status").selectOption("pending");
    await docs.send("listPets");
    expect(await names()).to.deep.equal(["one", "two"]);
    const last = await docs.send("listPets", "Next page");
    expect(await names()).to.deep.equal(["three"]);
    expect(last).to.contain("1 pet on page 2, the last one");
    expect(await docs.example("listPets").getByRole("button", { name: "Next page" }).count()).to.equal(0);
    // A cursor belongs to its filter.
    await docs.field("listPets", "status").selectOption("sold");
    expect(await docs.field("listPets", "cursor").inputValue()).to.equal("");
    expect(await docs.send("listPets"))
      .to.contain("200 in")
      .and.contain("0 pets on page 1");
  });

  it("makes an Idempotency-Key of its own, and shows the answer to a repeat", async () => {
    await docs.openWithKey();
    expect(await docs.create('{"name":"Rex","categoryId":7}')).to.contain("makes a second pet");
    await docs.example("createPet").getByRole("button", { name: "Make one" }).click();
    const key = await docs.field("createPet", "Idempotency-Key").inputValue();
    expect(key).to.match(/^[\da-f]{32}$/);
    expect(await docs.example("createPet").locator(".sample pre").innerText()).to.contain(key);
    const created = await docs.send("createPet");
    const repeated = await docs.send("createPet", "Send it again");
    expect(repeated).to.contain("Idempotency-Replayed: true").and.contain("the same pet again");
    const id = /"id": \d+/;
    expect(id.exec(repeated)?.[0]).to.equal(id.exec(created)?.[0]);
    expect(await docs.create('{"name":"Rex","categoryId":8}'))
      .to.contain('"code": "idempotency_key_reused"')
      .and.contain("Use a new Idempotency-Key");
    docs.forgiveRefusals();
  });

  it("shows the remedy for an error, and asks for the key if it is missing", async () => {
    await docs.open();
    expect(await docs.send("listPets"))
      .to.contain("401 Unauthorized")
      .and.contain("WWW-Authenticate")
      .and.contain("Send the API key");
    expect(await docs.page.evaluate("document.activeElement.id")).to.equal("key");
    docs.forgiveRefusals();
  });

  it("shows an example answer whole, for success and for each error by its code", async () => {
    await docs.open();
    const answer = docs.example("getPet").locator(".answer");
    const chooser = docs.field("getPet", "Answer");
    const codes = await chooser.evaluate((select) =>
      [...(select as unknown as { options: { value: string }[] }).options].map(({ value }) => value),
    );
    expect(codes).to.include.members(["", "pet_not_found", "missing_credentials", "storage_unavailable"]);
    for (const code of codes.slice(1)) {
      await chooser.selectOption(code);
      const [head = "", body = ""] = (await answer.locator("pre").innerText()).split("\n\n");
      expect(JSON.parse(body)).to.include({ code, status: Number(head.slice(9, 12)) });
      expect(head).to.contain("Content-Type: application/json").and.contain("\nSunset: Thu, 05 Dec 2030");
      if (head.includes(" 503 ")) expect(head).to.contain("\nRetry-After: 1");
      expect(await answer.locator(".live").innerText()).to.contain("What to do.");
    }
    await chooser.selectOption("");
    expect(await answer.locator("pre").innerText()).to.match(/^HTTP\/1\.1 200 OK(.|\n)*"id": 42/);
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
    expect(await orders.locator("form, input, textarea").count()).to.equal(0);
    // The buttons of this operation show a request and never send it.
    docs.page.on("request", (request) => docs.complaints.push(`sent ${request.url()}`));
    for (const button of await orders.getByRole("button").or(orders.getByRole("tab")).all())
      await button.click();
  });

  it("can be used with the keyboard alone", async () => {
    await docs.open();
    await docs.page.keyboard.press("Tab");
    expect(await docs.page.evaluate("document.activeElement.textContent")).to.contain(
      "Skip to the documentation",
    );
    await docs.page.keyboard.press("Enter");
    expect(await docs.page.evaluate("document.activeElement.id")).to.equal("main");
    await docs.page.getByLabel("API key").focus();
    await docs.page.keyboard.type(API_KEY);
    await docs.field("listPets", "cursor").focus();
    await docs.page.keyboard.press("Tab");
    await docs.page.keyboard.press("Enter");
    await docs.example("listPets").locator(".pets").waitFor();
  });
});
