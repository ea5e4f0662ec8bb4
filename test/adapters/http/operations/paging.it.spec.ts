import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";
import { describeApp, useApp } from "../../../support/use-app.js";

interface Page {
  readonly ids: readonly number[];
  /** The target of the Link to the next page; undefined on the last one. */
  readonly next: string | undefined;
}

async function page(app: StartedApp, target: string): Promise<Page> {
  const { status, headers, text } = await get(app, target);
  expect(status, text).to.equal(200);
  const ids = JSON.parse(text).map(({ id }: { id: number }) => id);
  if (headers.link === undefined) return { ids, next: undefined };
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(headers.link) ?? [];
  expect(next, headers.link).to.be.a("string");
  return { ids, next };
}

async function createPets(app: StartedApp, statuses: readonly string[]): Promise<void> {
  for (const status of statuses) await post(app, `{"name":"Rex","categoryId":1,"status":"${status}"}`);
}

describeApp("Paging", (app) => {
  it("links to the next page with a relative Link that has the limit, the filter and a cursor", async () => {
    await createPets(app(), ["sold", "available", "sold"]);
    const { headers } = await get(app(), "/v1/pets?status=sold&limit=1", { headers: { Host: "evil.test" } });
    expect(headers.link).to.match(/^<\/v1\/pets\?limit=1&status=sold&cursor=[\w-]+>; rel="next"$/);
  });

  it("writes the default limit into the Link, and no status if none was asked for", async () => {
    await createPets(app(), Array(21).fill("available"));
    const { headers } = await get(app(), "/v1/pets");
    expect(headers.link).to.match(/^<\/v1\/pets\?limit=20&cursor=[\w-]+>; rel="next"$/);
  });

  it("gives the last page no Link, even if it is full", async () => {
    await createPets(app(), ["sold", "available", "sold", "available"]);
    expect((await page(app(), "/v1/pets?limit=4")).next).to.equal(undefined);
    expect((await page(app(), "/v1/pets?limit=5")).next).to.equal(undefined);
    expect((await page(app(), "/v1/pets?limit=2&status=sold")).next).to.equal(undefined);
    expect((await page(app(), "/v1/pets?limit=3")).next).to.be.a("string");
  });

  it("lets the limit change between pages", async () => {
    await createPets(app(), Array(6).fill("sold"));
    const first = await page(app(), "/v1/pets?limit=2&status=sold");
    const second = await page(app(), `${first.next}`.replace("limit=2", "limit=3"));
    expect(second.ids).to.deep.equal([3, 4, 5]);
    const third = await page(app(), `${second.next}`.replace("limit=3&", ""));
    expect(third).to.deep.equal({ ids: [6], next: undefined });
  });

  it("keeps a cursor of the last page valid for pets that are created later", async () => {
    await createPets(app(), ["sold", "sold"]);
    const { next } = await page(app(), "/v1/pets?limit=1");
    await createPets(app(), ["sold"]);
    expect((await page(app(), `${next}`.replace("limit=1", "limit=9"))).ids).to.deep.equal([2, 3]);
  });
});

describe("Paging links", () => {
  it("are absolute if a public URL is set, whatever the Host header says", async () => {
    const app = await startApp({ publicUrl: "https://pets.example.org" });
    await createPets(app, ["sold", "sold"]);
    const { headers } = await get(app, "/v1/pets?limit=1", { headers: { Host: "evil.test" } });
    expect(headers.link).to.match(
      /^<https:\/\/pets\.example\.org\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    );
    await app.close();
  });
});

describe("GET /v1/pets?cursor=", () => {
  const app = useApp();
  let cursor: string;
  before(async () => {
    for (let pet = 0; pet < 2; pet++) await post(app(), '{"name":"Rex","categoryId":1,"status":"sold"}');
    const { headers } = await get(app(), "/v1/pets?limit=1&status=sold");
    cursor = /cursor=([\w-]+)/.exec(headers.link ?? "")?.[1] ?? "";
    expect((await get(app(), `/v1/pets?status=sold&cursor=${cursor}`)).status).to.equal(200);
  });

  it("answers a cursor of another filter with 400 invalid_cursor", async () => {
    expectError(await get(app(), `/v1/pets?cursor=${cursor}`), 400, "invalid_cursor");
    expectError(await get(app(), `/v1/pets?status=pending&cursor=${cursor}`), 400, "invalid_cursor");
  });

  for (const bad of ["", "0", "1", "null", "%00", "A".repeat(4000)]) {
    it(`answers cursor=${bad.slice(0, 10)} with 400 invalid_cursor`, async () => {
      expectError(await get(app(), `/v1/pets?cursor=${bad}`), 400, "invalid_cursor");
    });
  }
});
