import type Router from "@koa/router";
import { expect } from "chai";
import memory from "../src/adapters/memory/memory-adapter.js";
import { SILENT_CONTEXT, type Storage } from "../src/application/storage-adapter.js";
import { storageUnavailable } from "../src/domain/errors.js";
import { captureLog } from "./support/captured-log.js";
import { type RequestOptions, send } from "./support/client.js";
import { operations } from "./support/described.js";
import { expectError } from "./support/expect-error.js";
import { type BuiltApp, buildApp } from "./support/start-app.js";

/** Storage operations by the operation that uses them. Every operation of the document must be listed. */
const STORAGE_OPERATIONS: Readonly<Record<string, string | null>> = {
  listPets: "list",
  createPet: "create",
  getPet: "get",
  getStoreOrders: null,
};

const BODIES: Readonly<Record<string, string>> = { "/v1/pets": '{"name":"Rex","categoryId":7}' };

function call(app: BuiltApp, { method, path }: (typeof operations)[number], options: RequestOptions = {}) {
  const body = method === "POST" ? { body: BODIES[path] ?? "{}" } : {};
  const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
  return send(app, method, path.replace(/\{.*?\}/, "1"), { headers, ...body, ...options });
}

/** Resolves to a memory storage whose repositories record and reject each call. */
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
  it("routes the operations of the OpenAPI document, the documents, and nothing else", () => {
    const { app } = buildApp();
    const routers = app.middleware.flatMap((middleware) => {
      const { router } = middleware as { router?: Router };
      return router ? [router] : [];
    });
    const routes = routers.flatMap(({ stack }) =>
      stack.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`)),
    );
    const described = operations.flatMap(({ method, path }) => {
      const route = path.replace(/\{(.*?)\}/g, ":$1");
      return method === "GET" ? [`GET ${route}`, `HEAD ${route}`] : [`${method} ${route}`];
    });
    const documents = /^(?:GET|HEAD) \/(?:docs|openapi\.json|openapi\.yaml)(?:\/|$)/;
    expect(routes.filter((route) => !documents.test(String(route)))).to.have.members(described);
    expect(Object.keys(STORAGE_OPERATIONS)).to.have.members(operations.map(({ operationId }) => operationId));
  });

  for (const operation of operations) {
    const { operationId, method, deprecated = false } = operation;
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

      it(`is ${deprecated ? "" : "not "}announced as deprecated`, async () => {
        const app = buildApp();
        const { headers } = await call(app, operation);
        expect(headers.deprecation !== undefined).to.equal(deprecated);
        const counted = await app.metric("petstore_deprecated_requests_total");
        expect(counted).to.equal(deprecated ? 1 : 0);
      });

      it("rejects an invalid Host", async () => {
        const answer = await call(buildApp(), operation, { headers: { Host: "a b" } });
        expectError(answer, 400, "malformed_request");
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
        const app = buildApp({ storage, log, settings: { readOnly: true } });
        expectError(await call(app, operation), 503, "storage_unavailable");
        expect(calls).to.deep.equal([]);
        expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([[30, "request"]]);
        expect(await app.metric("petstore_storage_failures_total")).to.equal(0);
        expect(await app.metric("petstore_read_only")).to.equal(1);
      });
    });
  }
});
