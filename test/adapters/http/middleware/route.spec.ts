import { expect } from "chai";
import type { Context, Route, State } from "../../../../src/adapters/http/context.js";
import { route } from "../../../../src/adapters/http/middleware/route.js";
import { get, post, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { CANARY, expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { useApp } from "../../../support/use-app.js";

/** The methods of each path, as Allow lists them. */
const ALLOW = {
  "/v1/pets": allowOf("/pets"),
  "/v1/pets/x": allowOf("/pets/{petId}"),
  "/v1/store/orders": allowOf("/store/orders"),
  "/docs": "GET, HEAD, OPTIONS",
};

describe("A path", () => {
  const app = useApp();
  const at = (target: string) => get(app(), target);

  for (const path of [
    "/",
    "/v1",
    "/v1//pets",
    "//v1/pets",
    "/v1/Pets",
    "/v1/pets/1/2",
    "/v1/x/../pets",
    "/v1/%70ets",
    "/v1/pets%3Flimit=1",
    "/%",
    "/?/v1/pets",
    "/!~?x=$",
    "http://petstore.test",
    "http://petstore.test?/v1/pets",
    ...[`/v1/pets${"/".repeat(8000)}/x`, "/v1/petshttp://x"],
  ]) {
    it(`that no operation has is 404 route_not_found, and the message names /docs: ${path.slice(0, 30)}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("/docs");
    });
  }

  for (const path of ["/v1/pets/", "/v1/pets/1/"]) {
    it(`with a slash at the end is 404 with a hint: ${path}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("without a slash");
    });
  }

  for (const target of ["HTTP://petstore.test:80/v1/pets?limit=1", "https://[::1]:3000/v1/pets"]) {
    it(`is taken from a target in absolute form: ${target}`, async () => {
      expect((await at(target)).text).to.equal("[]");
    });
  }

  for (const target of [
    "*",
    "x",
    `/${CANARY} x`,
    `/#${CANARY}`,
    "/\xe9",
    "/\x7f",
    "http:///v1/pets",
    "http://:80/v1/pets",
    "http://[/v1/pets",
    "http://user@petstore.test/v1/pets",
    "ftp://a/v1/pets",
    "ftp://a[b/x",
    "x://[::1/",
    // Koa fails to read a path off these.
    "//a@b[#x",
    "//a@b:99999#",
    "/\\a@b[#",
    "//a@#",
  ]) {
    it(`that no target may have is 400: ${JSON.stringify(target)}`, async () => {
      expectError(await at(target), 400, "malformed_request");
    });
  }

  it("and query are told apart at the first question mark", async () => {
    expectError(await at("/v1/pets?limit=1?"), 400, "invalid_parameter");
    expectError(await at("/v1/pets??limit=1"), 400, "unknown_parameter");
    expectError(await at("http://petstore.test/v1/pets?limit=0"), 400, "invalid_parameter");
  });
});

describe("A path that fits two routes", () => {
  const handle = () => {};
  const routes: Route[] = [
    { method: "get", path: "/v1/pets/:petId", handle },
    { method: "post", path: "/v1/pets/search", handle },
    { method: "get", path: "/v1/:kind/mine", handle },
    { method: "get", path: "/v1/x/:id", handle },
  ];
  const find = route(routes);
  async function found(method: string, path: string) {
    const ctx = { req: { url: path }, method, path, state: {} as State, request: {}, set: () => {} };
    await find(ctx as unknown as Context, async () => {});
    return ctx.state.route;
  }

  for (const path of ["/v1/pets/search", "/v1/x/mine", "/v1/pets/1"]) {
    it(`leads GET where it leads HEAD: ${path}`, async () => {
      expect(await found("GET", path))
        .to.equal(await found("HEAD", path))
        .and.not.to.equal(undefined);
    });
  }
});

describe("HEAD", () => {
  const app = useApp();
  before(async () => {
    for (const name of ["Rex", "Tom"]) await post(app(), `{"name":"${name}","categoryId":1}`);
  });

  for (const path of ["/v1/pets?limit=1", "/v1/pets?limit=0", "/v1/pets/1", "/nowhere"]) {
    it(`answers ${path} as GET does, without a body`, async () => {
      const got = await get(app(), path);
      const headed = await send(app(), "HEAD", path);
      expect([headed.status, headed.text]).to.deep.equal([got.status, ""]);
      const own = { date: "", "x-request-id": "" };
      expect({ ...headed.headers, ...own }).to.deep.equal({ ...got.headers, ...own });
    });
  }
});

describe("OPTIONS", () => {
  const app = useApp();

  for (const [path, allow] of Object.entries(ALLOW)) {
    it(`answers 204 with Allow at ${path}`, async () => {
      const { status, headers, text } = await send(app(), "OPTIONS", path);
      expect([status, text, headers.allow]).to.deep.equal([204, "", allow]);
      expect(headers).to.include(FIXED_HEADERS);
      expect(headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    });
  }

  it("answers * with the methods of the whole service", async () => {
    const { status, headers } = await send(app(), "OPTIONS", "*", { key: null });
    expect([status, headers.allow]).to.deep.equal([204, allowOf()]);
  });
});

describe("The service", () => {
  const app = useApp();

  for (const [path, allow] of Object.entries(ALLOW)) {
    for (const method of ["PUT", "POST", "PROPFIND"]) {
      if (method === "POST" && allow.includes(method)) continue;
      it(`answers ${method} ${path} with 405 and Allow`, async () => {
        const answer = await send(app(), method, `${path}?x=1`);
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.allow).to.equal(allow);
      });
    }
  }
});
