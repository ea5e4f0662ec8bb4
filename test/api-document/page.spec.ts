import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import { type Browser, chromium, type Page } from "playwright-core";
import { leaveOut } from "../support/left-out.js";
import { API_KEY, type StartedApp, startApp } from "../support/start-app.js";

/** A folder to write screenshots to; those in `docs/page` were made so. */
const { SCREENSHOTS } = process.env;

/** Where Debian has it; another place is told by CHROMIUM. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe("The documentation page in a browser", function () {
  this.timeout(30_000);
  let app: StartedApp;
  let browser: Browser | undefined;
  let page: Page;
  let complaints: string[];

  before(async function () {
    if (!existsSync(CHROMIUM) && !process.env.CI) {
      leaveOut("the documentation page in a browser", "install Chromium, and name it in CHROMIUM");
      this.skip();
    }
    app = await startApp();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  async function open(options: Parameters<Browser["newPage"]>[0] = {}): Promise<void> {
    page = await (browser as Browser).newPage(options);
    complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== app.origin) complaints.push(`asked ${request.url()}`);
    });
    await page.goto(`${app.origin}/docs`);
  }

  afterEach(async () => {
    const found = complaints ?? [];
    await page?.close();
    expect(found).to.deep.equal([]);
  });

  function panel(operationId: string) {
    return page.locator(`form[data-operation="${operationId}"]`);
  }

  async function send(operationId: string): Promise<string> {
    await panel(operationId).getByRole("button", { name: "Send request" }).click();
    await panel(operationId).locator(".answer .json").waitFor();
    return panel(operationId).locator(".answer").innerText();
  }

  async function create(body: string): Promise<string> {
    await panel("createPet").getByLabel("Body", { exact: true }).fill(body);
    return send("createPet");
  }

  it("creates a pet with the key entered once, lists it, and shows its integers to the digit", async () => {
    await open();
    await page.getByLabel("API key").fill(API_KEY);
    expect(await create('{"name":"Miso","categoryId":9007199254740993}')).to.match(
      /^201(.|\n)*"categoryId": 9007199254740993,/,
    );
    expect(await create('{"name":"Max","categoryId":9223372036854775807}')).to.contain(
      ": 9223372036854775807,",
    );
    expect(await create('{"name":"Min","categoryId":-9223372036854775808}')).to.contain(
      ": -9223372036854775808,",
    );
    const list = await send("listPets");
    expect(list).to.match(/^200/).and.contain('"name": "Miso"');
    for (const integer of ["9007199254740993", "9223372036854775807", "-9223372036854775808"]) {
      expect(list).to.contain(`"categoryId": ${integer},`);
    }
  });

  it("shows the first request with the address of this service", async () => {
    await open();
    expect(await page.locator("#first-request ~ pre").first().innerText()).to.equal(
      `curl ${app.origin}/v1/pets \\\n  -H "Authorization: Bearer <API_KEY>"\n`,
    );
  });

  it("goes on to the next page with one click", async () => {
    await open();
    await page.getByLabel("API key").fill(API_KEY);
    for (const name of ["one", "two", "three"]) await create(`{"name":"${name}","categoryId":1}`);
    await panel("listPets").getByLabel("limit").fill("2");
    expect(await send("listPets"))
      .to.contain('"id": 1,')
      .and.contain('rel="next"');
    await panel("listPets").getByRole("button", { name: "Next page" }).click();
    await panel("listPets").getByText('"id"').first().waitFor();
    await page.waitForFunction(
      "!document.querySelector('form[data-operation=listPets] .json').textContent.includes('\"id\": 1,')",
    );
    expect(await panel("listPets").locator(".answer").innerText()).to.contain('"id": 3,');
  });

  it("shows an error, and what was asked in curl, without the key", async () => {
    await open();
    expect(await send("listPets"))
      .to.match(/^401/)
      .and.contain("missing_credentials");
    await page.getByLabel("API key").fill(API_KEY);
    await panel("createPet").getByLabel("Body", { exact: true }).fill("{'}");
    await panel("createPet").getByText("The same in curl").click();
    const curl = await panel("createPet").locator(".curl code").innerText();
    expect(curl).to.contain(`--data '{'\\''}'`).and.contain("$API_KEY");
    expect(curl).not.to.contain(API_KEY);
    // The browser writes a refusal to its console; that is its own doing.
    complaints = complaints.filter((complaint) => !complaint.includes("status of 401"));
  });

  it("keeps the key for this tab, and only for it", async () => {
    await open();
    await page.getByLabel("API key").fill(API_KEY);
    await page.reload();
    expect(await page.getByLabel("API key").inputValue()).to.equal(API_KEY);
    expect(await page.evaluate("JSON.stringify(localStorage) + document.cookie")).to.equal("{}");
  });

  it("has a panel for every operation but GET /store/orders, which it labels beta", async () => {
    await open();
    for (const operationId of ["listPets", "createPet", "getPet"])
      expect(await panel(operationId).count()).to.equal(1);
    const orders = page.locator("#getStoreOrders");
    expect(await orders.innerText())
      .to.contain("/v1/store/orders")
      .and.contain("Beta");
    expect(await orders.locator("form, button, input").count()).to.equal(0);
  });

  it("shows getPet as deprecated, with the date and the replacement", async () => {
    await open();
    const text = await page.locator("#getPet").innerText();
    expect(text).to.contain("Deprecated").and.contain("5 December 2030").and.contain("List animals");
    expect(await page.locator("#getPet .notice a").getAttribute("href")).to.equal("#listPets");
  });

  it("lists every error code with what to do about it", async () => {
    await open();
    const { ERROR_CODES } = await import("../../src/adapters/http/answer/error-codes.js");
    for (const [code, { status, remedy }] of Object.entries(ERROR_CODES)) {
      const row = await page.locator(`#error-${code}`).innerText();
      expect(row).to.contain(code).and.contain(String(status)).and.contain(remedy);
    }
  });

  it("can be used with the keyboard alone", async () => {
    await open();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).to.contain("Skip to the documentation");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).to.equal("main");
    await page.getByLabel("API key").focus();
    await page.keyboard.type(API_KEY);
    await panel("listPets").getByLabel("cursor").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await panel("listPets").locator(".answer .json").waitFor();
  });

  for (const width of [375, 1440]) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`is readable at ${width} px in ${colorScheme} colours, and passes axe-core`, async () => {
        await open({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
        await page.getByLabel("API key").fill(API_KEY);
        await send("createPet");
        if (SCREENSHOTS) {
          const shown = width < 600 ? "form[data-operation=createPet]" : "#createPet";
          await page.evaluate(`document.querySelector("${shown}").scrollIntoView()`);
          await page.screenshot({ path: `${SCREENSHOTS}/${width}-${colorScheme}.png` });
        }
        await page.evaluate(
          "for (const details of document.querySelectorAll('main details')) details.open = true",
        );
        expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
        await page.evaluate(`${AXE};0`);
        const violations = (await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) })))",
        )) as Violation[];
        expect(violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`)).to.deep.equal(
          [],
        );
      });
    }
  }
});
