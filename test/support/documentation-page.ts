import { existsSync } from "node:fs";
import { expect } from "chai";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { leaveOut } from "./left-out.js";
import { API_KEY, type StartedApp, startApp } from "./start-app.js";

interface Removable {
  remove(): void;
}

/** Chromium's path in Debian. CHROMIUM can name another one. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
];

/**
 * Opens the page at /docs of a new service in a browser, for the tests of a suite. After each test it asserts
 * that the console is empty and that the page has sent no request to another host.
 */
export class DocumentationPage {
  private started: StartedApp | undefined;
  private browser: Browser | undefined;
  private opened: Page | undefined;
  complaints: string[] = [];

  /** Registers the hooks; call it in a suite. */
  constructor() {
    const own = this;
    before(async function () {
      if (!existsSync(CHROMIUM) && !process.env.CI) {
        leaveOut("the documentation page in a browser", "install Chromium, and name it in CHROMIUM");
        this.skip();
      }
      own.started = await startApp();
      own.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    });
    after(async () => {
      await this.browser?.close();
      await this.started?.close();
    });
    afterEach(async () => {
      const found = this.complaints;
      this.complaints = [];
      await this.opened?.context().close();
      this.opened = undefined;
      expect(found).to.deep.equal([]);
    });
  }

  get app(): StartedApp {
    return this.started as StartedApp;
  }

  get page(): Page {
    return this.opened as Page;
  }

  async open(options: BrowserContextOptions & { readonly hash?: string } = {}): Promise<void> {
    const { hash = "", ...context } = options;
    this.opened = await (await (this.browser as Browser).newContext(context)).newPage();
    this.page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    this.page.on("pageerror", (error) => this.complaints.push(error.message));
    this.page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== this.app.origin) this.complaints.push(`asked ${request.url()}`);
    });
    await this.page.goto(`${this.app.origin}/docs${hash}`);
  }

  async openWithKey(options: BrowserContextOptions = {}): Promise<void> {
    await this.open(options);
    await this.page.getByLabel("API key").fill(API_KEY);
  }

  /** Drops the complaints about refused requests, which the browser writes by itself. */
  forgiveRefusals(): void {
    this.complaints = this.complaints.filter((complaint) => !/status of [45]\d\d|ERR_FAILED/.test(complaint));
  }

  example(operationId: string): Locator {
    return this.page.locator(`.example[data-operation="${operationId}"]`);
  }

  field(operationId: string, label: string): Locator {
    return this.example(operationId).getByLabel(label, { exact: true });
  }

  /** Sends the request of the example, and gives the whole answer as the page shows it. */
  async send(operationId: string, button = "Send request"): Promise<string> {
    const example = this.example(operationId);
    // Removes the previous answer; its buttons stay.
    await example.locator(".live p").evaluateAll((all) => (all as unknown as Removable[])[0]?.remove());
    await example.getByRole("button", { name: button }).click();
    await example.locator(".live", { hasText: /in \d+ ms/ }).waitFor();
    return example.locator(".answer").innerText();
  }

  async create(body: string): Promise<string> {
    await this.field("createPet", "Body").fill(body);
    return this.send("createPet");
  }
}
