import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Language, sampleOf } from "../../../../../src/adapters/http/docs/browser/samples.js";
import { API_DOCUMENT } from "../../../../support/described.js";
import { DocumentationPage } from "../../../../support/documentation-page.js";
import { API_KEY } from "../../../../support/start-app.js";
import { needTools } from "../../../../support/tool.js";

/** For each language the program that runs a sample, and a pattern for the answer in its output. */
const RUNNERS = {
  curl: ["bash", "-c"],
  JavaScript: [process.execPath, "--input-type=module", "--eval"],
  Python: ["python3", "-c"],
} as const;

/** All characters that are special in a string literal of one of the languages. */
const NAME = [`It's \\ "quoted"`, "`x`", "$", "{y}", '"""', "$HOME", "é 😀"].join("");

describe("The requests that the documentation page shows", () => {
  const docs = new DocumentationPage();

  async function sample(operationId: string, language: string): Promise<string> {
    await docs.field(operationId, "Language").selectOption({ label: language });
    return docs.example(operationId).locator(".sample pre").innerText();
  }

  async function run(language: keyof typeof RUNNERS, code: string): Promise<string> {
    const [program, ...parameters] = RUNNERS[language];
    const env = { ...process.env, API_KEY, PYTHONIOENCODING: "utf8" };
    // Not synchronously, since the service runs in this process.
    return (await promisify(execFile)(program, [...parameters, code], { env })).stdout;
  }

  needTools("the requests on the documentation page", "bash", "curl", "python3");

  for (const language of Object.keys(RUNNERS) as (keyof typeof RUNNERS)[]) {
    it(`run as they stand in ${language}, with the key in API_KEY, for every operation of the document`, async () => {
      await docs.open();
      for (const item of Object.values(API_DOCUMENT.paths)) {
        for (const { operationId, responses } of Object.values(item)) {
          const printed = await run(language, await sample(operationId, language));
          const [, status = ""] = /^(?:HTTP\/1.1 )?(\d{3}) /.exec(printed) ?? [];
          expect(responses, operationId).to.have.property(status);
          expect(status, operationId).to.match(operationId === "getPet" ? /200|404/ : /^2/);
        }
      }
    });

    it(`send in ${language} every method, with a body and without`, async () => {
      const type = "application/merge-patch+json";
      const server = createServer(async (req, res) => {
        res.end(`${req.method} ${req.headers["content-type"]} ${await text(req)}`);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/things`;
      for (const method of ["GET", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]) {
        for (const body of method === "GET" ? [undefined] : [undefined, '@{"a": 1}']) {
          const asked = { method, url, headers: { "Content-Type": type }, body };
          const sent = await run(language, sampleOf(language.toLowerCase() as Language, asked));
          expect(sent).to.contain(`${method} ${type} ${body ?? ""}`);
        }
      }
      server.close();
    });

    it(`run in ${language} with the reader's own fields and body, to the letter`, async () => {
      await docs.openWithKey();
      const body = `{\n  "name": ${JSON.stringify(NAME)},\n  "categoryId": -9223372036854775808\n}`;
      await docs.field("createPet", "Body").fill(body);
      await docs.field("createPet", "Idempotency-Key").fill(`it's"${language}"`);
      const answer = await run(language, await sample("createPet", language));
      const [, json = ""] = /(\{"id".*\})/.exec(answer) ?? [];
      expect(JSON.parse(json)).to.include({ name: NAME });
      expect(json).to.contain('"categoryId":-9223372036854775808,');
      await docs.field("getPet", "petId").fill(/"id":(\d+)/.exec(json)?.[1] ?? "");
      expect(await run(language, await sample("getPet", language))).to.contain(json);
    });
  }

  it("come in the language that was chosen before, after a reload and beside every operation", async () => {
    await docs.open();
    await sample("getPet", "Python");
    await docs.page.reload();
    for (const operationId of ["listPets", "createPet", "getPet", "getStoreOrders"]) {
      const shown = await docs.example(operationId).locator(".sample pre").innerText();
      expect(shown).to.contain("urlopen(request)");
    }
    await docs.field("listPets", "Language").selectOption("curl");
    expect(await docs.example("getPet").locator(".sample pre").innerText()).to.match(/^curl /);
  });

  it("are copied whole, by the button and by hand", async () => {
    await docs.openWithKey({ permissions: ["clipboard-read", "clipboard-write"] });
    const expected = `curl '${docs.app.origin}/v1/pets?limit=2' \\\n  -i -H "Authorization: Bearer $API_KEY"`;
    const copied = () => docs.page.evaluate("navigator.clipboard.readText()");
    await docs.example("listPets").getByRole("button", { name: "Copy" }).click();
    await docs.example("listPets").getByRole("button", { name: "Copied" }).waitFor();
    expect(await copied()).to.equal(expected);
    await docs.page.evaluate(
      "navigator.clipboard.writeText(''); getSelection().selectAllChildren(document.querySelector('#listPets .sample pre'))",
    );
    await docs.page.keyboard.press("Control+c");
    expect(await copied()).to.equal(expected);
  });
});
