import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { exactJson, readApi } from "../scripts/page/api.js";
import { get, send } from "./support/client.js";
import { expectError } from "./support/expect-error.js";
import { type BuiltApp, buildApp } from "./support/start-app.js";

// These promises hold for every resource of the OpenAPI document, so that a second one cannot forget them.

const DOCUMENT = parse(readFileSync("src/adapters/http/docs/openapi.yaml", "utf8"), { intAsBigInt: true });
const { operations } = readApi(DOCUMENT);
const creates = operations.filter(({ method }) => method === "POST");
const lists = operations.filter(({ parameters = [] }) => parameters.some(({ name }) => name === "cursor"));

function create(app: BuiltApp, path: string, key?: string, members: object = {}) {
  const post = creates.find((operation) => operation.path === path);
  const example = post?.requestBody?.content?.["application/json"]?.example;
  const body = exactJson({ ...Object(example), ...members });
  const headers = { "Content-Type": "application/json", ...(key && { "Idempotency-Key": key }) };
  return send(app, "POST", path, { headers, body });
}

async function firstPage(app: BuiltApp, path: string, filter: object) {
  const query = new URLSearchParams({ limit: "1", ...filter });
  const { headers, text } = await get(app, `${path}?${query}`);
  const [, next = ""] = /^<(.+)>; rel="next"$/.exec(headers.link ?? "") ?? [];
  return { items: JSON.parse(text), next };
}

describe("Every resource", () => {
  for (const { operationId, path, parameters = [] } of creates) {
    it(`makes ${operationId} safe to retry`, async () => {
      expect(parameters.map(({ name }) => name)).to.include("Idempotency-Key");
      const app = buildApp();
      const first = await create(app, path, "a");
      const second = await create(app, path, "a");
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      expect(second.headers["idempotency-replayed"]).to.equal("true");
      expect(second.text).to.equal(first.text);
      expect((await get(app, first.headers.location ?? "")).text).to.equal(first.text);
      expectError(await create(app, path, "a", { x: 1 }), 400, "idempotency_key_reused");
    });

    it(`returns 404 for an id that ${operationId} never assigned, even beyond an int64`, async () => {
      const app = buildApp();
      for (const id of [1n, 2n ** 63n, 2n ** 64n + 1n]) {
        const { status, text } = await get(app, `${path}/${id}`);
        expect([status, JSON.parse(text).code]).to.deep.equal([
          404,
          `${path.slice("/v1/".length, -1)}_not_found`,
        ]);
      }
    });
  }

  for (const { operationId, path, parameters = [] } of lists) {
    const filters = parameters.filter(({ name }) => !["limit", "cursor"].includes(name));

    it(`goes from page to page of ${operationId}, which can be filtered`, async () => {
      expect(filters).not.to.deep.equal([]);
      const app = buildApp();
      const created = [await create(app, path), await create(app, path)].map(({ text }) => JSON.parse(text));
      const { items, next } = await firstPage(app, path, {});
      const { headers, text } = await get(app, next);
      expect([...items, ...JSON.parse(text)]).to.deep.equal(created);
      expect(headers.link).to.equal(undefined);
      const cursor = new URL(next, "http://a").searchParams.get("cursor");
      for (const other of lists.filter((list) => list.path !== path)) {
        expectError(await get(app, `${other.path}?cursor=${cursor}`), 400, "invalid_cursor");
      }
    });

    for (const { name, schema } of filters) {
      it(`filters ${operationId} by ${name}, with cursors for one value each`, async () => {
        const app = buildApp();
        const [one = "a", other = "b"] = schema.enum ?? [];
        for (const value of [one, other, one, other]) await create(app, path, undefined, { [name]: value });
        for (const [value, another] of [
          [one, other],
          [other, one],
        ] as const) {
          const { items, next } = await firstPage(app, path, { [name]: value });
          const rest = JSON.parse((await get(app, next)).text);
          const values = [...items, ...rest].map((item: Record<string, unknown>) => item[name]);
          expect(values).to.deep.equal([value, value]);
          for (const query of [`&${name}=${another}`, ""]) {
            expectError(await get(app, next.replace(`&${name}=${value}`, query)), 400, "invalid_cursor");
          }
        }
      });
    }
  }

  it("exports its ports to authors of storages", () => {
    const ports = readdirSync("src/application/ports").filter((file) =>
      /-(?:repository|archive)\.ts$/.test(file),
    );
    const exported = readFileSync("src/storage-kit/index.ts", "utf8");
    for (const port of ports) expect(exported).to.include(`/ports/${port.replace(/ts$/, "js")}"`);
  });
});
