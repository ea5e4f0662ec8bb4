import { expect } from "chai";
import { DocumentationPage } from "../../../../support/documentation-page.js";

describe("The documentation page, laid out", () => {
  const docs = new DocumentationPage();
  const scrolled = () => docs.page.evaluate("scrollY");
  const current = () =>
    docs.page.evaluate("[...document.querySelectorAll('nav [aria-current]')].map(({ hash }) => hash)");

  for (const [width, height] of [
    [390, 700],
    [768, 700],
    [1024, 700],
    [1440, 900],
  ] as const) {
    it(`has each answer in view at ${width} px, and moves nothing when a key is typed or / is pressed`, async () => {
      await docs.open({ viewport: { width, height } });
      for (const operationId of ["createPet", "getPet"]) {
        // The button is the last that the reader sees.
        await docs.page.evaluate(
          `document.querySelector("#${operationId} form").scrollIntoView({ block: "end" })`,
        );
        const before = await scrolled();
        const top = (await docs.example(operationId).boundingBox())?.y;
        const long = await docs.page.evaluate("document.documentElement.scrollHeight");
        await docs.page.getByLabel("API key").pressSequentially("petstore_key");
        await docs.page.getByLabel("API key").blur();
        await docs.page.keyboard.press("/");
        expect(await scrolled()).to.equal(before);
        expect((await docs.example(operationId).boundingBox())?.y).to.equal(top);
        expect(await docs.page.evaluate("document.documentElement.scrollHeight")).to.equal(long);
        await docs.send(operationId);
        const bar = (await docs.page.locator("body > header").boundingBox())?.height ?? 0;
        const answer = docs.example(operationId).locator(".answer");
        expect((await answer.boundingBox())?.y).to.be.within(bar, height * 0.8);
        expect((await answer.locator("pre .bad").first().boundingBox())?.y).to.be.within(bar, height);
      }
      docs.forgiveRefusals();
    });
  }

  it("marks in the contents the part that is being read", async () => {
    await docs.open();
    expect(await current()).to.deep.equal([]);
    for (const hash of ["#createPet", "#errors", "#guide-api-keys", "#guide-methods-and-paths"]) {
      await docs.page.locator(`nav [href="${hash}"]`).click();
      await docs.page.locator(`nav [aria-current][href="${hash}"]`).waitFor();
      expect(await current()).to.deep.equal([hash]);
    }
    await docs.page.evaluate("document.querySelector('#getPet h3').scrollIntoView()");
    await docs.page.locator("nav [aria-current][href='#getPet']").waitFor();
  });

  it("prints as text alone, dark on light", async () => {
    await docs.open({ colorScheme: "dark" });
    await docs.page.emulateMedia({ media: "print" });
    for (const part of await docs.page.locator("body > header, nav, form, button, select").all())
      expect(await part.isVisible()).to.equal(false);
    const luminous = (member: string, selector: string) =>
      docs.page.evaluate(`getComputedStyle(document.querySelector("${selector}")).${member}`);
    expect(await luminous("color", ".sample pre")).to.equal("rgb(35, 33, 29)");
    expect(await luminous("position", ".example")).to.equal("static");
  });
});
