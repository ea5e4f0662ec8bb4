import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { exactJson, readApi } from "../scripts/page/api.js";
import { get, send } from "./support/client.js";
import { expectError } from "./support/expect-error.js";
import { buildApp } from "./support/start-app.js";

// What every resource of the OpenAPI document owes its clients, so that a second one cannot forget it.

const DOCUMENT = parse(readFileSync("src/adapters/http/docs/openapi.yaml", "utf8"), { intAsBigInt: true });
const { operations } = readApi(DOCUMENT);
const creates = operations.filter(({ method }) => method === "POST");
const lists = operations.filter(({ parameters = [] }) => parameters.some(({ name }) => name === "cursor"));

function create(app: ReturnType<typeof buildApp>, path: string, key = "") {
  const post = creates.find((operation) => operation.path === path);
  const body = exactJson(post?.requestBody?.content?.["application/json"]?.example);
  const headers = { "Content-Type": "application/json", ...(key && { "Idempotency-Key": key }) };
  return send(app, "POST", path, { headers, body });
}

describe("Every resource", () => {
  for (const { operationId, path } of creates) {
    it(`makes ${operationId} safe to retry`, async () => {
      const app = buildApp();
      const first = await create(app, path, "a");
      const second = await create(app, path, "a");
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      expect(second.headers["idempotency-replayed"]).to.equal("true");
      expect(second.text).to.equal(first.text);
      expect((await get(app, first.headers.location ?? "")).text).to.equal(first.text);
    });
  }

  for (const { operationId, path, parameters = [] } of lists) {
    const filters = parameters.map(({ name }) => name).filter((name) => !["limit", "cursor"].includes(name));
    for (const filter of ["", ...filters]) {
      it(`goes from page to page of ${operationId} ${filter && `by ${filter}`}`, async () => {
        const app = buildApp();
        const created = JSON.parse((await create(app, path)).text);
        await create(app, path);
        const query = filter && `&${filter}=${encodeURIComponent(created[filter])}`;
        const { headers } = await get(app, `${path}?limit=1${query}`);
        const [, next = ""] = /^<(.+)>; rel="next"$/.exec(headers.link ?? "") ?? [];
        expect(next).to.include(query);
        const page = await get(app, next);
        expect(JSON.parse(page.text)).to.have.length(1);
        expect(JSON.parse(page.text)[0].id).to.not.equal(created.id);
        expect(page.headers.link).to.equal(undefined);
        const cursor = new URL(next, "http://a").searchParams.get("cursor");
        for (const other of lists.filter((list) => list.path !== path)) {
          expectError(await get(app, `${other.path}?cursor=${cursor}`), 400, "invalid_cursor");
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
