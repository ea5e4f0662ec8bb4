import { expect } from "chai";
import type { Route } from "playwright-core";
import { DocumentationPage } from "../../../../support/documentation-page.js";

const HTML = { status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" };

describe("The documentation page, when something is wrong or slow", () => {
  const docs = new DocumentationPage();
  const live = (operationId: string) => docs.example(operationId).locator(".live");
  const sendButton = (operationId: string) =>
    docs.example(operationId).getByRole("button", { name: "Send request" });

  for (const [fault, handle, said, shown] of [
    ["no answer", (route: Route) => route.abort(), /^No answer/, /^$/],
    [
      "an answer of a proxy",
      (route: Route) => route.fulfill(HTML),
      /^502 .*Not from/,
      /^502 .*<h1>Bad Gateway/s,
    ],
  ] as const) {
    it(`names ${fault}, and shows no older answer beside it`, async () => {
      await docs.openWithKey();
      await docs.send("listPets");
      await docs.page.route("**/v1/pets?*", handle);
      await sendButton("listPets").click();
      await live("listPets").filter({ hasText: said }).waitFor();
      expect(await docs.example("listPets").locator(".answer pre").textContent()).to.match(shown);
      docs.forgiveRefusals();
    });
  }

  it("sends no key or header that none can carry, and says which", async () => {
    await docs.open();
    for (const [key, prefer, named] of [
      ["schlüssel-€", "", "The API key"],
      ["key", "€", "Prefer"],
    ] as const) {
      await docs.page.getByLabel("API key").fill(key);
      await docs.field("createPet", "Prefer").fill(prefer);
      await sendButton("createPet").click();
      await live("createPet").getByText(`Not sent. ${named} has`).waitFor();
    }
  });

  it("sends a request once while it waits, and says of an answer that it is one to an earlier request", async () => {
    await docs.openWithKey();
    let asked = 0;
    let answer = () => {};
    await docs.page.route("**/v1/pets?*", async (route) => {
      asked += 1;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await sendButton("listPets").click();
    await sendButton("listPets").click();
    const stateIs = (state: string) =>
      docs.example("listPets").locator(`.answer[data-state=${state}]`).waitFor();
    await stateIs("old");
    answer();
    await stateIs("new");
    expect(asked).to.equal(1);
    await docs.field("listPets", "limit").fill("3");
    await stateIs("old");
  });

  it("works in a browser that blocks its storage", async () => {
    await docs.open();
    await docs.page.addInitScript(
      `for (const name of ["localStorage", "sessionStorage"])
         Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });`,
    );
    await docs.page.reload();
    await docs.page.getByLabel("API key").fill("key");
    await docs.field("getPet", "Language").selectOption("python");
    expect(await docs.example("listPets").locator(".sample pre").innerText()).to.contain("urlopen");
    expect(await docs.send("listPets")).to.contain("invalid_credentials");
    docs.forgiveRefusals();
  });
});
