import { expect } from "chai";
import { ERROR_CODES } from "../../../src/adapters/http/answer/error-codes.js";
import { ERROR_MEANINGS } from "../../../src/api-document/describe/error-meanings.js";
import { DocumentationPage } from "../../support/documentation-page.js";

describe("The documentation page, searched", function () {
  this.timeout(60_000);
  const docs = new DocumentationPage();

  /** Searches by the keyboard alone, and gives the anchor of the first result. */
  async function find(query: string, opener = "/"): Promise<string> {
    await docs.page.keyboard.press(opener);
    await docs.page.keyboard.insertText(query);
    await docs.page.keyboard.press("Enter");
    return new URL(docs.page.url()).hash;
  }

  it("finds operations, parameters, headers, members and codes, by the keyboard alone", async () => {
    await docs.open();
    expect(await find("create a pet")).to.equal("#createPet");
    expect(await find("cursor", "Control+k")).to.equal("#listPets-cursor");
    expect(await find("retry-after")).to.equal("#header-RetryAfter");
    expect(await find("categoryid")).to.equal("#createPet-categoryId");
    expect(await find("paging")).to.equal("#listPets-paging");
    expect(await find("rate_lim")).to.equal("#error-rate_limited");
  });

  it("leads from a line of a log to the meaning and the remedy of its code, open and in view", async () => {
    await docs.open({ viewport: { width: 375, height: 700 }, reducedMotion: "reduce" });
    const line =
      '{"level":40,"code":"idempotency_key_reused","message":"This Idempotency-Key was used","status":400}';
    expect(await find(line)).to.equal("#error-idempotency_key_reused");
    const found = docs.page.locator("#error-idempotency_key_reused");
    expect(await found.innerText())
      .to.contain(ERROR_MEANINGS.idempotency_key_reused)
      .and.contain(ERROR_CODES.idempotency_key_reused.remedy);
    const box = await found.locator(".remedy").boundingBox();
    expect(box?.y).to.be.within(0, 700);
    expect(await docs.page.evaluate("document.activeElement.tagName")).to.equal("SUMMARY");
  });

  it("goes through the results with the arrow keys, and leaves with Escape", async () => {
    await docs.open();
    await docs.page.keyboard.press("/");
    await docs.page.keyboard.type("status");
    const chosen = () =>
      docs.page.evaluate(
        "document.getElementById(document.querySelector('#search-text').getAttribute('aria-activedescendant')).dataset.id",
      );
    const first = await chosen();
    await docs.page.keyboard.press("ArrowDown");
    expect(await chosen()).not.to.equal(first);
    await docs.page.keyboard.press("ArrowUp");
    expect(await chosen()).to.equal(first);
    await docs.page.keyboard.press("Escape");
    expect(await docs.page.locator("#search").isVisible()).to.equal(false);
    await docs.field("listPets", "cursor").press("/");
    expect(await docs.field("listPets", "cursor").inputValue()).to.equal("/");
  });

  it("opens the fold that a link leads to, or leads into", async () => {
    await docs.open({ hash: "#header-NextPage" });
    expect(await docs.page.locator("#header-NextPage").isVisible()).to.equal(true);
    await docs.page.locator("nav").getByRole("link", { name: "Integers of 64 bits" }).click();
    expect(await docs.page.locator("#integers-of-64-bits p").first().isVisible()).to.equal(true);
    await docs.page.locator("#createPet-errors summary").click();
    expect(new URL(docs.page.url()).hash).to.equal("#createPet-errors");
    await docs.page.locator("#createPet-errors").getByRole("link", { name: "missing_field" }).click();
    expect(await docs.page.locator("#error-missing_field .remedy").isVisible()).to.equal(true);
  });

  it("has an anchor for every error code, with its meaning and its remedy", async () => {
    await docs.open();
    for (const [code, { status, remedy }] of Object.entries(ERROR_CODES)) {
      const text = (await docs.page.locator(`#error-${code}`).textContent()) ?? "";
      expect(text).to.contain(code).and.contain(String(status)).and.contain(remedy);
      expect(text).to.contain(ERROR_MEANINGS[code as keyof typeof ERROR_MEANINGS]);
    }
  });
});
