import { expect } from "chai";
import { CODES } from "../../../../support/described.js";
import { DocumentationPage } from "../../../../support/documentation-page.js";

describe("The documentation page, searched", () => {
  const docs = new DocumentationPage();

  /** Searches by the keyboard alone, and gives the anchor that the page goes to. */
  async function find(query: string): Promise<string> {
    await docs.page.keyboard.press("/");
    await docs.page.keyboard.insertText(query);
    await docs.page.keyboard.press("Enter");
    return docs.page.evaluate("location.hash");
  }

  it("finds operations, parameters, headers, members, codes and the guide, by the keyboard alone", async () => {
    await docs.open();
    expect(await find("create a pet")).to.equal("#createPet");
    expect(await find("cursor")).to.equal("#listPets-cursor");
    expect(await find("idempotency-replayed")).to.equal("#createPet-answer-Idempotency-Replayed");
    expect(await find("categoryid")).to.equal("#createPet-categoryId");
    expect(await find("rate_lim")).to.equal("#error-rate_limited");
    expect(await find("media type")).to.equal("#guide-media-type");
    expect(await find("Error codes")).to.equal("#errors");
    expect(await find("newpet")).to.equal("#schema-NewPet");
    expect(await find("petstatus")).to.equal("#schema-PetStatus");
    expect(await find("store ord")).to.equal("#getStoreOrders");
  });

  it("offers every part by its name, and goes to the one that is chosen", async () => {
    await docs.open();
    const offered = (await docs.page.evaluate(
      "[...document.querySelectorAll('#places option')].map(({ value }) => value)",
    )) as string[];
    expect(offered).to.include.members(["Create a pet · operation", "overloaded · error code"]);
    expect(new Set(offered).size).to.equal(offered.length);
    await docs.page.getByLabel("Search").fill("overloaded · error code");
    expect(await docs.page.evaluate("location.hash")).to.equal("#error-overloaded");
  });

  it("leads to the advice for a code, in view", async () => {
    await docs.open({ viewport: { width: 375, height: 700 } });
    const code = "idempotency_key_reused";
    expect(await find(code)).to.equal(`#error-${code}`);
    const found = docs.page.locator(`#error-${code}`);
    expect(await found.innerText()).to.contain(CODES[code]?.advice);
    expect((await found.boundingBox())?.y).to.be.within(0, 700);
    expect(await docs.page.evaluate("document.activeElement.textContent")).to.equal(code);
  });

  it("says so if nothing has a name, and leaves a slash to the field that the reader types in", async () => {
    await docs.open();
    expect(await find("no such thing")).to.equal("");
    expect(await docs.page.evaluate("document.querySelector('#search').validationMessage")).to.equal(
      "Nothing has this name.",
    );
    await docs.field("listPets", "cursor").press("/");
    expect(await docs.field("listPets", "cursor").inputValue()).to.equal("/");
  });
});
