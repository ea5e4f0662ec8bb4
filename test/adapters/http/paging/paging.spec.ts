import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { useApp } from "../../../support/use-app.js";

describe("Paging", () => {
  const app = useApp();
  const elsewhere = useApp({ publicUrl: "https://pets.example.org" });
  before(async () => {
    for (const one of [app(), elsewhere()]) {
      for (let n = 1; n <= 22; n++) {
        await post(one, `{"name":"${n}","categoryId":1,"status":"${n % 2 === 0 ? "sold" : "available"}"}`);
      }
    }
  });

  /** The ids of a page, and the target of the Link to the next one; that is undefined on the last page. */
  async function page(target: string): Promise<{ ids: number[]; next: string | undefined }> {
    const { status, headers, text } = await get(app(), target);
    expect(status, text).to.equal(200);
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? "") ?? [];
    return { ids: JSON.parse(text).map(({ id }: { id: number }) => id), next };
  }

  for (const [what, service, target, link] of [
    ["its limit and filter", app, "?status=sold&limit=1", "</v1/pets?limit=1&status=sold&cursor="],
    ["the default limit, and no filter if none was asked for", app, "", "</v1/pets?limit=20&cursor="],
    ["the public URL if one is set", elsewhere, "", "<https://pets.example.org/v1/pets?limit=20&cursor="],
  ] as const) {
    it(`links to the next page with ${what}, whatever the Host header says`, async () => {
      const { headers } = await get(service(), `/v1/pets${target}`, { headers: { Host: "evil.test" } });
      const [start, rest] = [headers.link?.slice(0, link.length), headers.link?.slice(link.length)];
      expect(start).to.equal(link);
      expect(rest).to.match(/^[\w-]+>; rel="next"$/);
    });
  }

  it("gives the last page no Link, even if it is full", async () => {
    expect((await page("/v1/pets?limit=22")).next).to.equal(undefined);
    expect((await page("/v1/pets?limit=11&status=sold")).next).to.equal(undefined);
    expect((await page("/v1/pets?limit=21")).next).to.be.a("string");
  });

  it("lets the limit change between pages", async () => {
    const first = await page("/v1/pets?limit=2&status=available");
    const second = await page(`${first.next}`.replace("limit=2", "limit=3"));
    expect(second.ids).to.deep.equal([5, 7, 9]);
    const third = await page(`${second.next}`.replace("limit=3&", ""));
    expect(third).to.deep.equal({ ids: [11, 13, 15, 17, 19, 21], next: undefined });
  });

  for (const [what, target] of [
    ["a cursor of another filter", "limit=1&status=sold"],
    ["a cursor without its filter", "limit=1"],
  ] as const) {
    it(`answers ${what} with 400 invalid_cursor`, async () => {
      const { next } = await page("/v1/pets?limit=1&status=available");
      const used = `${next}`.replace("limit=1&status=available", target);
      expectError(await get(app(), used), 400, "invalid_cursor");
    });
  }

  for (const bad of ["", "0", "null", "%00", "A".repeat(4000)]) {
    it(`answers cursor=${bad.slice(0, 10)} with 400 invalid_cursor`, async () => {
      expectError(await get(app(), `/v1/pets?cursor=${bad}`), 400, "invalid_cursor");
    });
  }
});
