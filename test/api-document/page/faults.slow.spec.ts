import { expect } from "chai";
import type { Route } from "playwright-core";
import { DocumentationPage } from "../../support/documentation-page.js";

describe("The documentation page, when something is wrong or slow", () => {
  const docs = new DocumentationPage();
  const live = (operationId: string) => docs.example(operationId).locator(".live");

  /** Lets a request of the page for the list come to another end. */
  const answerWith = (handle: (route: Route) => Promise<void>) => docs.page.route("**/v1/pets?*", handle);

  for (const [fault, handle, said] of [
    ["no answer", (route: Route) => route.abort(), /No answer/],
    [
      "an answer of a proxy",
      (route: Route) =>
        route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" }),
      /^502 in \d+ ms\s*Not from Petstore/,
    ],
  ] as const) {
    it(`names ${fault}, and shows no older answer beside it`, async () => {
      await docs.openWithKey();
      await docs.send("listPets");
      await answerWith(handle);
      await docs.example("listPets").getByRole("button", { name: "Send request" }).click();
      await live("listPets")
        .getByText(said)
        .or(live("listPets").filter({ hasText: said }))
        .first()
        .waitFor();
      const shown = await docs.example("listPets").locator(".answer pre").textContent();
      expect(shown).not.to.contain("200");
      expect(/502.*<h1>Bad Gateway/s.test(shown ?? "")).to.equal(fault !== "no answer");
      docs.forgiveRefusals();
    });
  }

  it("sends no key or header that none can carry, and says which", async () => {
    await docs.open();
    await docs.page.getByLabel("API key").fill("schlüssel-€");
    for (const [field, value, named] of [
      ["Prefer", "", "API key"],
      ["Prefer", "€", "Prefer"],
    ] as const) {
      if (value) await docs.page.getByLabel("API key").fill("key");
      await docs.field("createPet", field).fill(value);
      await docs.example("createPet").getByRole("button", { name: "Send request" }).click();
      await live("createPet")
        .getByText(`Not sent. ${value ? named : `The ${named}`} has`)
        .waitFor();
    }
  });

  it("sends a request once while it waits, and says of an answer that it is one to an earlier request", async () => {
    await docs.openWithKey();
    let asked = 0;
    await answerWith(async (route) => {
      asked += 1;
      await docs.page.waitForTimeout(300);
      await route.continue();
    });
    const send = docs.example("listPets").getByRole("button", { name: "Send request" });
    await send.click();
    await send.click();
    const answer = docs.example("listPets").locator(".answer");
    expect(await answer.getAttribute("data-state")).to.equal("old");
    await live("listPets").getByText(/ms/).waitFor();
    expect(await answer.getAttribute("data-state")).to.equal("new");
    expect(asked).to.equal(1);
    await docs.field("listPets", "limit").fill("3");
    await live("listPets").getByText("since this answer").waitFor();
    expect(await answer.getAttribute("data-state")).to.equal("old");
  });

  it("works in a browser that blocks its storage", async () => {
    await docs.openWithKey({ storage: "blocked" });
    await docs.field("getPet", "Language").selectOption("python");
    expect(await docs.example("listPets").locator(".sample pre").innerText()).to.contain("urlopen");
    expect(await docs.send("listPets")).to.contain("200 OK");
  });
});
