import { readFileSync } from "node:fs";
import type Router from "@koa/router";
import { expect } from "chai";
import { parse } from "yaml";
import memory from "../src/adapters/memory/memory-adapter.js";
import { SILENT_CONTEXT, type Storage } from "../src/application/storage-adapter.js";
import { TOKENS } from "../src/container.js";
import { storageUnavailable } from "../src/domain/errors.js";
import type { Settings } from "../src/settings.js";
import { captureLog } from "./support/captured-log.js";
import { get, type RequestOptions, send } from "./support/client.js";
import { expectError } from "./support/expect-error.js";
import { type BuiltApp, buildApp } from "./support/start-app.js";

/** An operation of the OpenAPI document. */
interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly isDeprecated: boolean;
}

const DOCUMENT = parse(readFileSync("src/adapters/http/docs/openapi.yaml", "utf8"));
const OPERATIONS: Operation[] = Object.entries<object>(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => /^(?:get|put|post|patch|delete)$/.test(method))
    .map(([method, { operationId, deprecated = false }]) => {
      return { operationId, method: method.toUpperCase(), path: `/v1${path}`, isDeprecated: deprecated };
    }),
);

/** The storage operation of each operation. Every operation of the document must be listed. */
const STORAGE_OPERATIONS: Readonly<Record<string, string | null>> = {
  listPets: "list",
  createPet: "create",
  getPet: "get",
  getStoreOrders: null,
};

/** Valid bodies, by path. */
const BODIES: Readonly<Record<string, string>> = { "/v1/pets": '{"name":"Rex","categoryId":7}' };

function call(app: BuiltApp, { method, path }: Operation, options: RequestOptions = {}) {
  const body = method === "POST" ? { body: BODIES[path] ?? "{}" } : {};
  const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
  return send(app, method, path.replace(/\{.*?\}/, "1"), { headers, ...body, ...options });
}

/** A memory storage whose repositories record and reject each call. */
async function brokenStorage(): Promise<{ storage: Storage; calls: string[] }> {
  const storage: Record<string, unknown> = { ...(await memory.open("memory:", SILENT_CONTEXT)) };
  const calls: string[] = [];
  const fail = (call: string) => async () => {
    calls.push(call);
    throw storageUnavailable(new Error("ECONNREFUSED"));
  };
  for (const [name, member] of Object.entries(storage)) {
    if (typeof member !== "object") continue;
    storage[name] = new Proxy(member as object, { get: (_, method) => fail(`${name}.${String(method)}`) });
  }
  storage.ping = fail("ping");
  return { storage: storage as unknown as Storage, calls };
}

const failures = 'petstore_http_errors_total{code="storage_unavailable"}';

describe("The program that the container composes", () => {
  it("routes what the OpenAPI document describes, the documents, and nothing else", () => {
    const { app } = buildApp();
    const routers = app.middleware.flatMap((middleware) => {
      const { router } = middleware as { router?: Router };
      return router ? [router] : [];
    });
    const routes = routers.flatMap(({ stack }) =>
      stack.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`)),
    );
    const described = OPERATIONS.flatMap(({ method, path }) => {
      const route = path.replace(/\{(.*?)\}/g, ":$1");
      return method === "GET" ? [`GET ${route}`, `HEAD ${route}`] : [`${method} ${route}`];
    });
    const documents = /^(?:GET|HEAD) \/(?:docs|openapi\.json|openapi\.yaml)(?:\/|$)/;
    expect(routes.filter((route) => !documents.test(String(route)))).to.have.members(described);
    expect(Object.keys(STORAGE_OPERATIONS)).to.have.members(OPERATIONS.map(({ operationId }) => operationId));
  });

  for (const operation of OPERATIONS) {
    const { operationId, method, isDeprecated } = operation;
    const stored = STORAGE_OPERATIONS[operationId];
    const requestsWith = (status: number) =>
      `petstore_http_requests_total{operation="${operationId}",method="${method}",status="${status}"}`;

    describe(operationId, () => {
      it("requires a key", async () => {
        const app = buildApp();
        expectError(await call(app, operation, { key: null }), 401, "missing_credentials");
      });

      it("is logged and measured under its name, from 0", async () => {
        const { log, lines } = captureLog();
        const app = buildApp({ log });
        for (const status of [200, 401, 404, 500, 503])
          expect(await app.metric(requestsWith(status))).to.equal(0);
        const { status } = await call(app, operation);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include({ msg: "request", operation: operationId, status });
        expect(await app.metric(requestsWith(status))).to.equal(1);
        const seconds = `petstore_http_request_duration_seconds_count{operation="${operationId}"}`;
        expect(await app.metric(seconds)).to.equal(1);
      });

      it(`is ${isDeprecated ? "" : "not "}announced as deprecated`, async () => {
        const app = buildApp();
        const { headers } = await call(app, operation);
        expect(headers.deprecation !== undefined).to.equal(isDeprecated);
        const counted = await app.metric("petstore_deprecated_requests_total");
        expect(counted).to.equal(isDeprecated ? 1 : 0);
      });

      it("rejects an invalid Host", async () => {
        expectError(
          await call(buildApp(), operation, { headers: { Host: "a b" } }),
          400,
          "malformed_request",
        );
      });

      if (!stored) return;

      it(`measures its storage operation as ${stored}`, async () => {
        const app = buildApp();
        const series = `petstore_storage_operation_duration_seconds_count{operation="${stored}"}`;
        expect(await app.metric(series)).to.equal(0);
        await call(app, operation);
        expect(await app.metric(series)).to.equal(1);
        expect(await app.metric("petstore_storage_operation_duration_seconds_count")).to.equal(1);
      });

      it("responds 503 while the storage is down, without reaching it once that is known", async () => {
        const { storage, calls } = await brokenStorage();
        const app = buildApp({ storage });
        expect(await app.metric(failures)).to.equal(0);
        expectError(await call(app, operation), 503, "storage_unavailable");
        await new Promise(setImmediate);
        calls.length = 0;
        expectError(await call(app, operation), 503, "storage_unavailable");
        expect(calls).to.deep.equal([]);
        expect(await app.metric(failures)).to.equal(2);
        expect(await app.metric(`petstore_storage_failures_total{operation="${stored}"}`)).to.equal(2);
        await app.close().catch(() => undefined);
      });

      if (method === "GET") return;

      it("is rejected while the service is read-only, which does not count as a storage failure", async () => {
        const { storage, calls } = await brokenStorage();
        const { log, lines } = captureLog();
        const app = buildApp({ storage, log, settings: { PETSTORE_READ_ONLY: "true" } });
        expectError(await call(app, operation), 503, "storage_unavailable");
        expect(calls).to.deep.equal([]);
        expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([[30, "request"]]);
        expect(await app.metric("petstore_storage_failures_total")).to.equal(0);
        expect(await app.metric("petstore_read_only")).to.equal(1);
      });
    });
  }

  it("uses every setting of HTTP", async () => {
    const { log, lines } = captureLog();
    const list = (settings: Partial<Settings>, headers: Record<string, string> = {}) =>
      get(buildApp({ settings, log }), "/v1/pets", { headers });
    const origin = "https://a.example";
    const cors = await list({ PETSTORE_CORS_ORIGINS: [origin] }, { Origin: origin });
    expect(cors.headers["access-control-allow-origin"]).to.equal(origin);
    const limited = await list({ PETSTORE_RATE_LIMIT: { requests: 7, seconds: 60 } });
    expect(limited.headers["ratelimit-policy"]).to.include("q=7;w=60");
    expectError(await list({ PETSTORE_MAX_IN_FLIGHT: 0 }), 503, "overloaded");
    await list({ PETSTORE_TRUST_PROXY: ["loopback"] }, { "X-Forwarded-For": "192.0.2.7" });
    expect(lines.at(-1)).to.include({ client: "192.0.2.7" });
    const deprecated = await get(buildApp({ settings: { PETSTORE_PUBLIC_URL: origin } }), "/v1/pets/1");
    expect(deprecated.headers.link).to.include(`<${origin}/v1/pets`);
    expectError(
      await get(buildApp({ settings: { PETSTORE_GET_PET: "removed" } }), "/v1/pets/1"),
      410,
      "operation_removed",
    );
    const { program } = buildApp({ settings: { PETSTORE_MAX_CONNECTIONS: 7 } });
    expect(program.resolve(TOKENS.server).maxConnections).to.equal(7);
  });

  it("has an admin port that shows the storage, the stop and the metrics", async () => {
    const { storage } = await brokenStorage();
    const stopping = new AbortController();
    const admin = (app: BuiltApp) => ({ app: app.adminApp });
    expectError(await get(admin(buildApp({ storage })), "/readyz"), 503, "storage_unavailable");
    const app = buildApp({ stopping: stopping.signal });
    expect((await get(admin(app), "/readyz")).text).to.equal('{"ready":true}');
    expect((await get(admin(app), "/metrics")).text).to.include("petstore_http_requests_total{");
    expect((await get(admin(app), "/version")).text).to.include('"1.2.3"');
    stopping.abort();
    expectError(await get(admin(app), "/readyz"), 503, "shutting_down");
    const readOnly = buildApp({ settings: { PETSTORE_READ_ONLY: "true" } });
    expect((await get(admin(readOnly), "/readyz")).text).to.equal('{"ready":true,"readOnly":true}');
  });
});
