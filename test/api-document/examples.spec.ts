import { expect } from "chai";
import { limitRate } from "../../src/adapters/http/middleware/limit-rate.js";
import { encodeCursor } from "../../src/adapters/http/operations/cursor.js";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { type ApiErrorCode, EXAMPLE_MESSAGES } from "../../src/api-document/describe/error-responses.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { type Answer, get, post, type RequestOptions, send } from "../support/client.js";
import { exchange } from "../support/raw-http.js";
import { type AppOptions, type StartedApp, startApp } from "../support/start-app.js";

const REX = '{"name":"Rex","categoryId":7}';
const KEY = { headers: { "Idempotency-Key": "k" } };

/** For each code a request that the service answers with it. */
const CAUSES: Record<ApiErrorCode, (app: StartedApp) => Promise<Answer>> = {
  malformed_request: ({ port }) => exchange(port, "GET /v1/pets HTTP/1.1\r\n\r\n"),
  missing_body: (app) => send(app, "POST", "/v1/pets"),
  invalid_json: (app) => post(app, "{"),
  duplicate_field: (app) => post(app, '{"name":"Rex","name":"Rex","categoryId":7}'),
  unknown_field: (app) =>
    post(app, '{"name":"Rex","categoryId":7,"colour":"red"}', prefer("handling=strict")),
  missing_field: (app) => post(app, '{"categoryId":7}'),
  invalid_field: (app) => post(app, '{"name":" ","categoryId":7}'),
  invalid_parameter: (app) => get(app, "/v1/pets?limit=101"),
  duplicate_parameter: (app) => get(app, "/v1/pets?status=sold&status=sold"),
  unknown_parameter: (app) => get(app, "/v1/pets?state=sold"),
  invalid_cursor: (app) => get(app, `/v1/pets?status=sold&cursor=${encodeCursor(1n, "pending")}`),
  invalid_idempotency_key: (app) => post(app, REX, { headers: { "Idempotency-Key": "a key" } }),
  idempotency_key_reused: async (app) => {
    await post(app, REX, KEY);
    return post(app, REX.replace("7", "8"), KEY);
  },
  missing_credentials: (app) => get(app, "/v1/pets", { key: null }),
  invalid_credentials: (app) => get(app, "/v1/pets", { key: "wrong" }),
  pet_not_found: (app) => get(app, "/v1/pets/7000"),
  route_not_found: (app) => get(app, "/v1/pets/"),
  method_not_allowed: (app) => send(app, "DELETE", "/v1/pets"),
  not_acceptable: (app) => get(app, "/v1/pets", { headers: { Accept: "text/html" } }),
  body_too_large: (app) => post(app, " ".repeat(16_385)),
  unsupported_media_type: (app) => post(app, REX, { headers: { "Content-Type": "text/plain" } }),
  headers_too_large: ({ port }) =>
    exchange(port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(17_000)}\r\n\r\n`),
  request_timeout: () =>
    serve({ timeouts: { headers: 100, request: 100, keepAlive: 100 } }, ({ port }) => exchange(port, "GET")),
  operation_removed: () => serve({ getPetServed: false }, (app) => get(app, "/v1/pets/1")),
  rate_limited: () =>
    serve({ limitRate: limitRate({ requests: 1, seconds: 60 }) }, async (app) => {
      await get(app, "/v1/pets");
      return get(app, "/v1/pets");
    }),
  internal_error: () => serve(failingWith(new Error("unexpected")), (app) => get(app, "/v1/pets")),
  storage_unavailable: () => serve(failingWith(storageUnavailable("away")), (app) => get(app, "/v1/pets")),
  overloaded: () => serve({ limits: { inFlight: 0, connections: 10 } }, (app) => get(app, "/v1/pets")),
};

/** The answer of a service that runs for this request alone. */
async function serve(options: AppOptions, cause: (app: StartedApp) => Promise<Answer>): Promise<Answer> {
  const app = await startApp(options);
  return cause(app).finally(() => app.close());
}

function failingWith(failure: Error): AppOptions {
  const repository = new MemoryPetRepository();
  repository.list = async () => {
    throw failure;
  };
  return { repository };
}

function prefer(preference: string): RequestOptions {
  return { headers: { Prefer: preference } };
}

describe("The example in the OpenAPI document", () => {
  let app: StartedApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  for (const [code, cause] of Object.entries(CAUSES)) {
    it(`of ${code} is the answer of the service`, async () => {
      const { text } = await cause(app);
      const { code: answered, message } = JSON.parse(text);
      expect({ code: answered, message }).to.deep.equal({
        code,
        message: EXAMPLE_MESSAGES[code as ApiErrorCode],
      });
    });
  }
});
