import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from "playwright-core";
import { CODES } from "../../../support/described.js";
import { leaveOut } from "../../../support/left-out.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

/** Where Debian has it. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** The folder for the pictures of the README, if they are to be taken. */
const { SCREENSHOTS } = process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("The documentation page in a browser", () => {
  let app: StartedApp;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  before(async function () {
    if (!existsSync(CHROMIUM)) {
      leaveOut("the documentation page in a browser", "install Chromium, and name it in CHROMIUM");
      this.skip();
    }
    app = await startApp();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });
  afterEach(async () => {
    await page?.context().close();
    // The browser itself reports each error status and each failed request.
    expect(problems.filter((problem) => !/status of [45]\d\d|ERR_FAILED/.test(problem))).to.deep.equal([]);
  });

  async function open(options: BrowserContextOptions = {}, script?: string): Promise<void> {
    problems = [];
    page = await (await browser.newContext(options)).newPage();
    page.on("console", (message) => {
      if (/error|warning/.test(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(app.origin)) problems.push(`requested ${request.url()}`);
    });
    if (script) await page.addInitScript(script);
    await page.goto(`${app.origin}/docs`);
    if (options.javaScriptEnabled !== false) await page.getByLabel("API key").fill(API_KEY);
  }

  const field = (id: string, label: string) => page.locator(`#${id}`).getByLabel(label, { exact: true });
  const button = (id: string, name = "Send request") => page.locator(`#${id}`).getByRole("button", { name });
  const text = (id: string, part: string) => page.locator(`#${id} ${part}`).innerText();

  /** Sends the request of a panel; gives what the panel then says. */
  async function send(id: string, name?: string): Promise<string> {
    await page.evaluate(`document.querySelector("#${id} [role=status]").firstChild.textContent = "old"`);
    await button(id, name).click();
    await page.locator(`#${id} [role=status]`, { hasText: /^(\d.* ms|No)/ }).waitFor();
    return text(id, ".response");
  }

  async function create(body: string): Promise<string> {
    await field("createPet", "Body").fill(body);
    return send("createPet");
  }

  for (const [width, colorScheme] of [
    [320, "light"],
    [390, "dark"],
    [768, "light"],
    [1440, "light"],
    [1440, "dark"],
  ] as const) {
    it(`fits ${width} px in ${colorScheme} colours, passes axe-core, and has a response in view`, async () => {
      await open({ viewport: { width, height: 900 }, colorScheme });
      await create('{"name": "Zoë", "categoryId": 9007199254740993}');
      await create('{"name": "Rex", "categoryId": 7, "status": "sold"}');
      await create('{"name": "Max", "categoryId": 9223372036854775807}');
      await field("listPets", "limit").fill("2");
      // The button is the last thing in view. Playwright would scroll before it clicks.
      await page.evaluate(
        `{ const node = document.querySelector("#listPets form button");
           node.scrollIntoView({ block: "end" }); node.click(); }`,
      );
      await page.locator("#listPets [role=status]", { hasText: /\d ms/ }).waitFor();
      const top = (await page.locator("#listPets .response").boundingBox())?.y ?? 0;
      expect(top).to.be.within((await page.locator("header").boundingBox())?.height ?? 0, 700);
      expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
      await page.evaluate(`${AXE};0`);
      const run = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))";
      expect(await page.evaluate(run)).to.deep.equal([]);
      if (!SCREENSHOTS || width < 1440) return;
      await page.evaluate("document.querySelector('#listPets').scrollIntoView()");
      await page.screenshot({ path: `${SCREENSHOTS}/${width}-${colorScheme}.png` });
    });
  }

  it("sends and shows every digit, also by the curl command, which follows the panel", async () => {
    await open();
    for (const integer of ["9007199254740993", "9223372036854775807", "-9223372036854775808"])
      expect(await create(`{"name":"Rex","categoryId":${integer}}`)).to.match(
        new RegExp(`201 Created in \\d+ ms.*"categoryId": ${integer},`, "s"),
      );
    const name = `It's "quoted" \`x\` $HOME \\ é`;
    await field("createPet", "Body").fill(
      `{\n  "name": ${JSON.stringify(name)},\n  "categoryId": 9007199254740993\n}`,
    );
    await field("createPet", "Idempotency-Key").fill(`it's`);
    const env = { ...process.env, API_KEY };
    const { stdout } = await promisify(execFile)("sh", ["-c", await text("createPet", ".curl")], { env });
    expect(stdout)
      .to.contain("201 Created")
      .and.contain(`${JSON.stringify(name)},"categoryId":9007199254740993,`);
    expect(await send("createPet")).to.contain("Idempotency-Replayed: true");
  });

  it("goes to the next page by a button, which leaves the focus in the panel", async () => {
    await open();
    for (const name of ["one", "two", "three"])
      await create(`{"name":"${name}","categoryId":1,"status":"pending"}`);
    await field("listPets", "status").selectOption("pending");
    await field("listPets", "limit").fill("2");
    expect(await send("listPets"))
      .to.contain('"two"')
      .and.not.contain('"three"');
    expect(await send("listPets", "Next page"))
      .to.contain('"three"')
      .and.not.contain('"two"');
    expect(await text("listPets", ".curl")).to.contain("status=pending&cursor=");
    expect(await button("listPets", "Next page").count()).to.equal(0);
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Send request");
  });

  it("sends once for a double click, and while a request is in flight", async () => {
    // Tall enough that the response does not move the button.
    await open({ viewport: { width: 1440, height: 2000 } });
    let sent = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/v1/pets", async (route) => {
      sent += 1;
      if (sent > 1) await released;
      await route.continue();
    });
    await button("createPet").dblclick({ delay: 50 });
    await page.locator("#createPet [role=status]", { hasText: /\d ms/ }).waitFor();
    expect(sent).to.equal(1);
    await button("createPet").click();
    await button("createPet").press("Enter");
    release();
    await page.locator("#createPet:not(:has([aria-busy]))").waitFor();
    expect(sent).to.equal(2);
  });

  for (const [fault, answer, said] of [
    ["no response", (route: Route) => route.abort(), /^No response: the connection failed\.\s*$/],
    [
      "an HTML error of a proxy",
      (route: Route) =>
        route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" }),
      /^502 .* Not from Petstore: .*<h1>Bad Gateway<\/h1>/s,
    ],
  ] as const)
    it(`explains ${fault}`, async () => {
      await open();
      await page.route("**/v1/pets", answer);
      expect(await send("listPets")).to.match(said);
    });

  it("explains an error by its code, and a key or header that cannot be sent", async () => {
    await open();
    expect(await create("{}")).to.contain(`missing_field: ${CODES.missing_field?.advice}`);
    await field("createPet", "Prefer").fill("€");
    expect(await send("createPet")).to.match(/^Not sent: Prefer contains a character that no HTTP header/);
    await page.getByLabel("API key").fill("schlüssel-€");
    expect(await send("listPets")).to.match(/^Not sent: The API key contains a character/);
    await page.getByLabel("API key").fill("");
    expect(await send("listPets")).to.contain(CODES.missing_credentials?.advice);
  });

  it("says which required parameter is missing instead of sending the request", async () => {
    await open();
    let sent = 0;
    page.on("request", () => (sent += 1));
    for (const empty of ["", " "]) {
      await field("getPet", "petId").fill(empty);
      expect(await send("getPet")).to.match(/^Not sent: petId /);
      expect(await page.evaluate("document.activeElement.name")).to.equal("petId");
    }
    expect(sent).to.equal(0);
    await field("getPet", "petId").fill("123456");
    expect(await send("getPet")).to.contain("pet_not_found");
  });

  it("works in a browser that blocks its storage, and keeps the key nowhere", async () => {
    const blocked = 'get() { throw new DOMException("blocked", "SecurityError"); }';
    const names = '["localStorage", "sessionStorage", "indexedDB"]';
    await open({}, `for (const name of ${names}) Object.defineProperty(window, name, { ${blocked} });`);
    expect(await send("listPets")).to.match(/^200 OK/);
    expect(await page.evaluate("document.cookie")).to.equal("");
  });

  it("can be used by keyboard alone", async () => {
    await open();
    await page.reload();
    for (const label of ["Skip to the documentation", "Petstore"]) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent.trim()")).to.equal(label);
    }
    await page.keyboard.press("Tab");
    await page.keyboard.type(API_KEY);
    await field("listPets", "cursor").focus();
    await page.keyboard.press("Enter");
    await page.locator("#listPets [role=status]", { hasText: /200 OK/ }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Send request");
  });

  it("has no panel to try GET /store/orders, and marks it as beta", async () => {
    await open();
    expect(await page.locator("#getStoreOrders").innerText()).to.match(/GET \/v1\/store\/orders\s+Beta/);
    expect(await page.locator("#getStoreOrders :is(form, input, button)").count()).to.equal(0);
    expect(await text("getStoreOrders", ".curl")).to.contain(`${app.origin}/v1/store/orders`);
  });

  it("can be read without scripts", async () => {
    await open({ javaScriptEnabled: false });
    for (const control of await page.locator("button, input, select, textarea").all())
      expect(await control.isVisible()).to.equal(false);
    expect(await text("createPet", ".curl")).to.match(/^curl .*'http.*\/v1\/pets' .*--json '\{"name/s);
    expect(await text("createPet", ".response")).to.match(/^201 Created Example\s+.*"categoryId": 7/s);
    expect(await text("getPet", "")).to.match(/Deprecated\s.*5 December 2030\. Use List pets/s);
    const advice = await page.locator("#error-invalid_cursor").innerText();
    expect(advice).to.contain(CODES.invalid_cursor?.advice);
  });
});
