import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { get } from "../../../../support/client.js";
import { CODES } from "../../../../support/described.js";
import { DocumentationPage } from "../../../../support/documentation-page.js";

/** A folder for screenshots; with `docs/page` the suite makes those of the README again. */
const { SCREENSHOTS } = process.env;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const BUDGET = 20_000;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe("The documentation page, read", () => {
  const docs = new DocumentationPage();

  async function findings(): Promise<string[]> {
    await docs.page.evaluate(`${AXE};0`);
    const violations = (await docs.page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))",
    )) as Violation[];
    return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
  }

  for (const width of [375, 1440]) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`is readable at ${width} px in ${colorScheme} colours, and passes axe-core`, async () => {
        await docs.openWithKey({ viewport: { width, height: 900 }, colorScheme });
        await docs.create('{"name": "Zoë", "categoryId": 9007199254740993}');
        await docs.create('{"name": "Rex", "categoryId": 7, "status": "sold"}');
        await docs.create('{"name": "Max", "categoryId": 9223372036854775807}');
        await docs.send("listPets");
        if (SCREENSHOTS) {
          const shown = width < 600 ? ".example[data-operation=listPets]" : "#listPets";
          await docs.page.evaluate(`document.querySelector("${shown}").scrollIntoView()`);
          await docs.page.screenshot({ path: `${SCREENSHOTS}/${width}-${colorScheme}.png` });
        }
        expect(await findings()).to.deep.equal([]);
        expect(await docs.page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
      });
    }
  }

  it("weighs at most 20 kB compressed, with style and scripts", async () => {
    const sizes: number[] = [];
    await docs.open();
    const paths = (await docs.page.evaluate(
      "[...document.querySelectorAll('link[href^=\"/docs/\"], script[src]')].map((part) => part.getAttribute('href') ?? part.getAttribute('src'))",
    )) as string[];
    expect(paths).to.include.members(["/docs/page.css", "/docs/page.js"]);
    for (const path of ["/docs", ...paths]) {
      const answer = await get(docs.app, path);
      expect(answer.status, path).to.equal(200);
      sizes.push(gzipSync(answer.text, { level: 9 }).length);
    }
    expect(sizes.reduce((sum, size) => sum + size)).to.be.at.most(BUDGET);
  });

  it("has every id once, and a target for every link", async () => {
    await docs.open();
    const all = (selector: string, member: string) =>
      docs.page.evaluate(`[...document.querySelectorAll('${selector}')].map(({ ${member} }) => ${member})`);
    const ids = (await all("[id]", "id")) as string[];
    expect(new Set(ids).size).to.equal(ids.length);
    const targets = ((await all('a[href^="#"]', "hash")) as string[]).map((hash) => hash.slice(1));
    expect(ids).to.include.members(targets);
  });

  it("shows getPet as deprecated, with the date and the replacement", async () => {
    await docs.open();
    const text = await docs.page.locator("#getPet").innerText();
    expect(text).to.contain("Deprecated").and.contain("5 December 2030").and.contain("List pets");
    expect(await docs.page.locator("#getPet .notice a").getAttribute("href")).to.equal("#listPets");
  });

  it("can be read without scripts: requests in curl, answers, and every code", async () => {
    await docs.open({ javaScriptEnabled: false });
    const example = docs.example("createPet");
    expect(await example.locator(".sample pre").innerText()).to.match(/^curl http.*\/v1\/pets/);
    expect(await example.locator(".answer pre").innerText()).to.match(/^201 Created/);
    for (const control of await docs.page.locator("button, input, select").all())
      expect(await control.isVisible()).to.equal(false);
    expect(await docs.page.locator("#error-invalid_cursor").innerText()).to.contain(
      CODES.invalid_cursor?.advice,
    );
  });

  it("outlines the part that a link leads to, also in forced colours", async () => {
    await docs.open({ forcedColors: "active", hash: "#error-overloaded" });
    const style = "getComputedStyle(document.querySelector('#error-overloaded')).outlineStyle";
    expect(await docs.page.evaluate(style)).to.equal("solid");
  });
});
