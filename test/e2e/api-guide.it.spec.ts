import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { codeAt, EXAMPLES } from "../support/api-guide.js";
import { useProgram } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  sh: ["bash", "-euc"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

const CREATING: Readonly<Record<string, (names: string) => string>> = {
  js: (names) => `import { createPet } from "./petstore.mjs";
    await Promise.all(${names}.map((name) => createPet({ name, categoryId: 7 })));`,
  python: (names) => `from concurrent.futures import ThreadPoolExecutor
from petstore import create_pet
create = lambda name: create_pet({"name": name, "categoryId": 7})
list(ThreadPoolExecutor(16).map(create, ${names}))`,
};

const CATCHING: Readonly<Record<string, string>> = {
  js: `import { createPet } from "./petstore.mjs";
    await createPet({ name: "Rex", categoryId: 7 }).catch(({ status, code }) => console.log(status, code ?? "no code"));`,
  python: `from petstore import PetstoreError, create_pet
try:
    create_pet({"name": "Rex", "categoryId": 7})
except PetstoreError as error:
    print(error.status, error.code or "no code")`,
};

const FAULTS: Readonly<Record<string, (res: ServerResponse, created: string) => unknown>> = {
  reset: (res) => res.socket?.resetAndDestroy(),
  close: (res) => res.socket?.end(),
  "half a response": (res, created) =>
    res.socket?.end(`HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n${created}`),
  "half a response without a length": (res, created) =>
    res.socket?.end(`HTTP/1.1 201 Created\r\n\r\n${created.slice(0, 9)}`),
  "half an error": (res) => res.socket?.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 99\r\n\r\n<h1>"),
  silence: () => {},
  "Retry-After in seconds": (res) => res.writeHead(503, { "Retry-After": "1" }).end(),
  "Retry-After as a date": (res) =>
    res.writeHead(429, { "Retry-After": new Date(Date.now() + 2000).toUTCString() }).end(),
};

describe("docs/api.md", () => {
  needTools("the examples of docs/api.md", "bash", "curl", "python3");
  const started = useProgram();
  let proxy: Server | undefined;

  afterEach(() => {
    proxy?.closeAllConnections();
    proxy?.close();
    proxy = undefined;
  });

  /** Runs code beside the files of the guide, and resolves to its output. */
  async function run(language: string, code: string, origin = started().program.origin): Promise<string> {
    const { cwd, program } = started();
    for (const example of EXAMPLES.filter(({ file }) => file)) {
      const impatient = codeAt(origin, example).replace(/TIME_LIMIT = 10(?=_|\s)/, "TIME_LIMIT = 2");
      writeFileSync(`${cwd}/${example.file}`, impatient);
    }
    const [runner = "", ...args] = RUNNERS[language] ?? [];
    // Python's cache misses a change within the same second.
    const python = { PYTHONIOENCODING: "utf8", PYTHONPATH: cwd, PYTHONDONTWRITEBYTECODE: "1" };
    const env = { ...process.env, API_KEY: program.firstKey, ...python };
    const { stdout } = await promisify(execFile)(runner, [...args, code], { cwd, env, timeout: 60_000 });
    return stdout.replaceAll("\r\n", "\n").trimEnd();
  }

  async function listen(server: Server): Promise<string> {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("names a file or shows an output for every code block", () => {
    for (const { code, file, output } of EXAMPLES) expect(file ?? output, code).not.to.equal(undefined);
    const languages = new Set(EXAMPLES.map(({ language }) => language));
    expect([...languages]).to.include.members(Object.keys(RUNNERS));
  });

  for (const example of EXAMPLES) {
    const { language, file, output, code } = example;
    if (file || !(language in RUNNERS)) continue;
    it(`prints, in ${language}: ${output?.split("\n", 1)}`, async () => {
      expect(await run(language, codeAt(started().program.origin, { ...example, code }))).to.equal(
        output?.trimEnd(),
      );
    });
  }

  for (const [language, catching] of Object.entries(CATCHING)) {
    it(`offers a client in ${language} that rejects with the status of a proxy's error, without a retry`, async () => {
      let requests = 0;
      proxy = createServer((_, res) => {
        requests += 1;
        res.writeHead(413).end("<h1>Request Entity Too Large</h1>");
      });
      expect(await run(language, catching, await listen(proxy))).to.equal("413 no code");
      expect(requests).to.equal(1);
    });
  }

  for (const [language, creating] of Object.entries(CREATING)) {
    it(`offers a client in ${language} that creates one pet under one key, whatever happens to two responses`, async () => {
      const { origin, firstKey } = started().program;
      const attempts = new Map<string, { key: string; at: number }[]>();
      proxy = createServer(async (req, res) => {
        const key = String(req.headers["idempotency-key"]);
        const headers = {
          authorization: `Bearer ${firstKey}`,
          "content-type": "application/json",
          "idempotency-key": key,
        };
        const body = await text(req);
        const response = await fetch(origin + req.url, { method: "POST", headers, body });
        const created = await response.text();
        const name: string = JSON.parse(body).name;
        const seen = attempts.get(name) ?? [];
        attempts.set(name, [...seen, { key, at: performance.now() }]);
        if (seen.length < 2) FAULTS[name.slice(language.length + 1)]?.(res, created);
        else res.writeHead(response.status).end(created);
      });
      const names = Object.keys(FAULTS).map((fault) => `${language} ${fault}`);
      await run(language, creating(JSON.stringify(names)), await listen(proxy));

      const list = await fetch(`${origin}/v1/pets?limit=100`, {
        headers: { authorization: `Bearer ${firstKey}` },
      });
      const stored = ((await list.json()) as { name: string }[]).map((pet) => pet.name);
      for (const name of names) {
        const sent = attempts.get(name) ?? [];
        expect(sent.length, name).to.be.at.least(3);
        expect(new Set(sent.map(({ key }) => key)).size, name).to.equal(1);
        if (name.includes("Retry")) expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0), name).to.be.above(950);
        expect(stored.filter((one) => one === name)).to.have.length(1);
      }
    });
  }
});
