import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { codeAt, EXAMPLES } from "../support/api-guide.js";
import { type Answer, allPets, send } from "../support/client.js";
import { useProgram } from "../support/in-empty-folder.js";
import { needTools } from "../support/tool.js";

/** The program that runs an example of each language, and the text that it gets before the example. */
const RUNNERS: Readonly<Record<string, readonly [program: string, ...parameters: string[]]>> = {
  sh: ["bash", "-euc"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

/** Uses the files of the guide to create a pet of this name. */
const CREATING: Readonly<Record<string, (name: string) => string>> = {
  js: (name) =>
    `import { createPet } from "./petstore.mjs"; await createPet({ name: "${name}", categoryId: 7 });`,
  python: (name) => `from petstore import create_pet; create_pet({"name": "${name}", "categoryId": 7})`,
};

/** What a bad network makes of the answer to a create. */
const FAULTS: Readonly<Record<string, (res: ServerResponse, whole: string) => unknown>> = {
  "a reset": (res) => res.socket?.resetAndDestroy(),
  "an early end": (res) => res.socket?.end(),
  "half an answer": (res, whole) =>
    res.socket?.end(`HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n${whole}`),
  "half a text without a length": (res, whole) =>
    res.socket?.end(`HTTP/1.1 201 OK\r\n\r\n${whole.slice(0, 9)}`),
  "half an error": (res) => res.socket?.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 99\r\n\r\n<h1>"),
  silence: () => {},
  "Retry-After in seconds": (res) => res.writeHead(503, { "Retry-After": "1" }).end(),
  "Retry-After as a date": (res) =>
    res.writeHead(429, { "Retry-After": new Date(Date.now() + 2000).toUTCString() }).end(),
};

describe("docs/api.md", () => {
  needTools("examples of docs/api.md", "bash", "curl", "python3");
  const started = useProgram();
  let proxy: Server | undefined;

  afterEach(() => {
    proxy?.closeAllConnections();
    proxy?.close();
    proxy = undefined;
  });

  /** Starts a proxy before the service, and gives its address. */
  async function proxied(
    answer: (res: ServerResponse, whole: Answer, key: string) => unknown,
  ): Promise<string> {
    proxy = createServer(async (req, res) => {
      const { authorization = "", "idempotency-key": key = "" } = req.headers as Record<string, string>;
      const headers = {
        authorization,
        ...(key && { "content-type": "application/json", "idempotency-key": key }),
      };
      const sent = { key: null, headers, body: await text(req), agent: false } as const;
      answer(res, await send(started().program, req.method as string, req.url as string, sent), key);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  /** Runs code beside the files of the guide, which use the service at an origin. Gives what it prints. */
  async function run(language: string, code: string, origin: string, key?: string): Promise<string> {
    const { cwd, program } = started();
    for (const example of EXAMPLES) {
      if (!example.file) continue;
      const impatient = codeAt(origin, example).replace("TIME_LIMIT = 10", "TIME_LIMIT = 1");
      writeFileSync(`${cwd}/${example.file}`, impatient);
    }
    const [runner = "", ...parameters] = RUNNERS[language] ?? [];
    const env = {
      ...process.env,
      API_KEY: key ?? program.firstKey,
      PYTHONIOENCODING: "utf8",
      PYTHONPATH: cwd,
      // A file that changes within a second, and keeps its length, would be taken for that of the cache.
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const { stdout } = await promisify(execFile)(runner, [...parameters, code], {
      cwd,
      env,
      timeout: 60_000,
    });
    return stdout.replaceAll("\r\n", "\n").trimEnd();
  }

  it("has a file or an output for every piece of code, in three languages and for two generators", () => {
    for (const { code, file, output } of EXAMPLES) expect(file ?? output, code).not.to.equal(undefined);
    const languages = new Set(EXAMPLES.map(({ language }) => language));
    expect([...languages]).to.have.members([...Object.keys(RUNNERS), "go", "ts"]);
  });

  for (const [index, example] of EXAMPLES.entries()) {
    const { language, file, output, code } = example;
    if (file || !(language in RUNNERS)) continue;
    const named = `example ${index + 1}, in ${language},`;
    it(`${named} prints what the guide says`, async () => {
      const { origin } = started().program;
      expect(await run(language, codeAt(origin, example), origin)).to.equal(output?.trimEnd());
    });
    if (!code.includes("limit=2")) continue;
    it(`${named} follows absolute links`, async () => {
      const origin = await proxied((res, { status, headers, text }) => {
        const link = headers.link?.replace("</", `<${origin}/`);
        res.writeHead(status, link ? { link } : {}).end(text);
      });
      expect(await run(language, codeAt(origin, example), origin)).to.equal(output?.trimEnd());
    });
    it(`${named} fails and says why if the key is wrong`, async () => {
      const { origin } = started().program;
      const failed = await run(language, codeAt(origin, example), origin, "wrong").catch((error) => error);
      expect(`${failed.code} ${failed.stdout}${failed.stderr}`).to.match(/^[1-9].*invalid_credentials/s);
    });
  }

  for (const [language, creating] of Object.entries(CREATING)) {
    for (const [fault, spoil] of Object.entries(FAULTS)) {
      it(`has a client in ${language} that keeps its key over ${fault}, and creates one pet`, async () => {
        const seen: { key: string; at: number }[] = [];
        const origin = await proxied((res, { status, text }, key) => {
          seen.push({ key, at: performance.now() });
          if (seen.length < 3) spoil(res, text);
          else res.writeHead(status).end(text);
        });
        const name = `${language} ${fault}`;
        await run(language, creating(name), origin);
        expect(new Set(seen.map(({ key }) => key)).size).to.equal(1);
        const [first = 0, second = 0, third] = seen.map(({ at }) => at);
        expect(third).to.be.a("number");
        if (fault.startsWith("Retry")) expect(second - first).to.be.above(950);
        const pets = await allPets(started().program, { key: started().program.firstKey });
        expect(pets.filter((pet) => pet.includes(`"${name}"`))).to.have.length(1);
      });
    }
  }
});
