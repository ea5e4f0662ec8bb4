import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CODES } from "../../../support/described.js";
import { needTools } from "../../../support/left-out.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

/** By default, Debian's path. If SCREENSHOTS is set, the pictures of the README are written to that folder. */
const { CHROMIUM = "/usr/bin/chromium", SCREENSHOTS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("The documentation page in a browser", () => {
  needTools("the documentation page in a browser", CHROMIUM);
  let app: StartedApp;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  before(async () => {
    app = await startApp();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });
  afterEach(async () => {
    await page.context().close();
    // The browser itself reports each error status.
    expect(problems.filter((problem) => !/status of [45]\d\d/.test(problem))).to.deep.equal([]);
  });

  /** Opens the page behind a proxy that strips `prefix` from each path. */
  async function open(options: BrowserContextOptions = {}, prefix = ""): Promise<void> {
    problems = [];
    page = await (await browser.newContext(options)).newPage();
    page.on("console", (message) => {
      if (/error|warning/.test(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    await page.route("**", (route) => {
      const url = route.request().url();
      if (!url.startsWith(`${app.origin}${prefix}/`)) problems.push(`requested ${url}`);
      return route.continue({ url: url.replace(prefix, "") });
    });
    await page.goto(`${app.origin}${prefix}/docs`);
    if (options.javaScriptEnabled !== false) await page.getByLabel("API key").fill(API_KEY);
  }

  const field = (id: string, label: string) => page.locator(`#${id}`).getByLabel(label, { exact: true });
  const button = (id: string, name = "Send request") => page.locator(`#${id}`).getByRole("button", { name });
  const text = (id: string, part: string) => page.locator(`#${id} ${part}`).innerText();

  /** Sends the request of a panel, and resolves to the response that the panel shows. */
  async function send(id: string, name?: string): Promise<string> {
    await page.evaluate(`document.querySelector("#${id} [role=status]").firstChild.textContent = ""`);
    await button(id, name).click();
    await page.locator(`#${id} [role=status]`, { hasText: /^\d{3} / }).waitFor();
    return text(id, ".response");
  }

  for (const colorScheme of ["light", "dark"] as const) {
    it(`fits every width, shows bodies whole and exact, and passes axe-core in ${colorScheme} colours`, async () => {
      await open({ colorScheme });
      for (const categoryId of [2n ** 53n + 1n, -(2n ** 63n)]) {
        const body = `{\n  "name": "Zoë",\n  "categoryId": ${categoryId},\n  "status": "sold"\n}`;
        await field("createPet", "Body").fill(body);
        expect(await send("createPet")).to.contain(`"categoryId": ${categoryId},`);
      }
      await field("listPets", "limit").fill("1");
      for (const width of [320, 390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await send("listPets");
        const { y = 0 } = (await page.locator("#listPets .response").boundingBox()) ?? {};
        expect(y, `${width}`).to.be.within(60, 700);
        expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
        const hidden = "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)";
        expect(await page.evaluate(`${hidden}(document.querySelector("textarea"))`), `${width}`).to.equal(0);
        await page.evaluate(`${AXE};0`);
        const run = "axe.run().then((found) => found.violations.map(({ id, nodes }) => id + nodes[0].html))";
        expect(await page.evaluate(run), `${width}`).to.deep.equal([]);
      }
      if (!SCREENSHOTS) return;
      await page.evaluate("document.querySelector('#listPets').scrollIntoView()");
      await page.screenshot({ path: `${SCREENSHOTS}/1440-${colorScheme}.png` });
    });
  }

  it("works behind a path prefix: its files and requests, the next page, the curl command", async () => {
    await open({}, "/petstore");
    for (const _ of [1, 2]) expect(await send("createPet")).to.match(/^201 Created/);
    await field("listPets", "limit").fill("1");
    expect(await send("listPets")).to.contain("Link: </v1/pets?limit=1&cursor=");
    expect(await send("listPets", "Next page")).to.match(/^200 OK/);
    expect(await text("listPets", ".curl")).to.contain(`'${app.origin}/petstore/v1/pets?limit=1&cursor=`);
  });

  it("sends once for a double click, and while a request is in flight", async () => {
    await open();
    let sent = 0;
    await page.route("**/v1/pets", async (route) => {
      sent += 1;
      await button("createPet").press("Enter");
      await route.continue();
    });
    await send("createPet");
    await button("createPet").dispatchEvent("click", { detail: 2 });
    expect(await page.locator("[aria-busy]").count()).to.equal(0);
    expect(sent).to.equal(1);
  });

  it("explains an error by its code, leads to the field of the key, and knows the errors of a proxy", async () => {
    await open();
    await page.getByLabel("API key").fill("");
    expect(await send("listPets")).to.contain(`missing_credentials: ${CODES.missing_credentials?.advice}`);
    await page.locator("#listPets [role=status]").getByRole("link", { name: "API key" }).click();
    expect(await page.evaluate("document.activeElement.id")).to.equal("key");
    await page.route("**/v1/pets", (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }));
    expect(await send("listPets")).to.match(/^502 .* Not from Petstore: .*<h1>Bad Gateway<\/h1>/s);
  });

  it("can be read without scripts", async () => {
    await open({ javaScriptEnabled: false });
    for (const control of await page.locator("button, input, select, textarea").all())
      expect(await control.isVisible()).to.equal(false);
    expect(await text("createPet", ".curl")).to.match(/^curl .*'http.*\/v1\/pets' .*--json '\{"name/s);
    expect(await text("createPet", ".response")).to.match(/^201 Created Example\s+.*"categoryId": 7/s);
    expect(await text("getPet", "")).to.match(/Deprecated\s.*5 December 2030\. Use List pets/s);
  });
});
