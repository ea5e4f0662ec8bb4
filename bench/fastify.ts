import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type FastifyReply, fastify } from "fastify";
import { pino } from "pino";
import { Counter, Histogram } from "prom-client";

// Serves the same operations with the same duties, as Fastify's guide shows them: keys by digest, a request id, a buffered line
// of its own log, a histogram and a counter, strict schemas, pages with a cursor, the headers of the deprecated operation. Its
// integers are doubles, and it detects no duplicate member, no invalid UTF-8 and no repeated create.

const PETS = "/v1/pets";
const status = { type: "string", enum: ["available", "pending", "sold"] };
const name = { type: "string", maxLength: 255, pattern: "^(?=[^]*\\S)[^\\u0000-\\u001f\\u007f-\\u009f]+$" };
const categoryId = {
  type: "integer",
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
const newPet = { type: "object", required: ["name", "categoryId"], properties: { name, categoryId, status } };
const pet = { type: "object", properties: { id: { type: "integer" }, ...newPet.properties } };
const query = {
  type: "object",
  additionalProperties: false,
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", pattern: "^[\\w-]+$" },
  },
};

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const pets: Pet[] = [];
const digest = (secret: string) => createHash("sha256").update(secret).digest();
const accepted = digest(process.env.PETSTORE_API_KEY ?? "");
const labelNames = ["operation", "method", "status"];
const durations = new Histogram({ name: "http_request_duration_seconds", help: "Durations", labelNames });
const requests = new Counter({ name: "http_requests_total", help: "Requests", labelNames });

function refuse(reply: FastifyReply, status: number, code: string, message: string) {
  return reply.code(status).send({ code, message, status });
}

export const app = fastify({
  logger: { stream: pino.destination({ sync: false, minLength: 2048, maxWrite: 4096, periodicFlush: 100 }) },
  disableRequestLogging: true,
  genReqId: () => randomUUID(),
  requestIdHeader: "x-request-id",
  ajv: { customOptions: { removeAdditional: false } },
});
app.setErrorHandler((error: Error & { validation?: unknown }, _request, reply) =>
  error.validation
    ? refuse(reply, 400, "invalid_field", error.message)
    : refuse(reply, 500, "internal_error", "failed"),
);
app.addHook("onRequest", async (request, reply) => {
  reply.header("X-Request-Id", request.id);
  const { authorization = "" } = request.headers;
  if (timingSafeEqual(digest(authorization.replace(/^bearer /i, "")), accepted)) return;
  reply.header("WWW-Authenticate", 'Bearer realm="petstore", error="invalid_token"');
  return refuse(reply, 401, "invalid_credentials", "The API key is not accepted.");
});
app.addHook("onResponse", async ({ id: requestId, method, ip: client, routeOptions }, reply) => {
  const operation = routeOptions.url ?? "none";
  const { elapsedTime: ms, statusCode: status } = reply;
  durations.observe({ operation, method, status }, ms / 1000);
  requests.inc({ operation, method, status });
  app.log.info({ requestId, operation, method, status, key: "bench", client, ms }, "request");
});

app.get<{ Querystring: { limit: number; status?: string; cursor?: string } }>(
  PETS,
  { schema: { querystring: query, response: { 200: { type: "array", items: pet } } } },
  async ({ query: { limit, status, cursor } }, reply) => {
    const matching = status ? pets.filter((pet) => pet.status === status) : pets;
    const start = cursor ? Number(Buffer.from(cursor, "base64url").toString()) : 0;
    const end = start + limit;
    if (end < matching.length) {
      const next = Buffer.from(String(end)).toString("base64url");
      reply.header("Link", `<${PETS}?limit=${limit}&cursor=${next}>; rel="next"`);
    }
    return matching.slice(start, end);
  },
);
app.post<{ Body: Omit<Pet, "id"> }>(
  PETS,
  { schema: { body: newPet, response: { 201: pet } } },
  async ({ body: { name, categoryId, status = "available" } }, reply) => {
    const created = { id: pets.length + 1, name, categoryId, status };
    pets.push(created);
    return reply.code(201).header("Location", `${PETS}/${created.id}`).send(created);
  },
);
app.get<{ Params: { petId: string } }>(
  `${PETS}/:petId`,
  { schema: { response: { 200: pet } } },
  async ({ params: { petId } }, reply) => {
    reply.headers({ Deprecation: "@1795219200", Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" });
    reply.header("Link", `<${PETS}?status=available>; rel="successor-version"`);
    const found = /^[1-9]\d{0,15}$/.test(petId) ? pets[Number(petId) - 1] : undefined;
    return found ?? refuse(reply, 404, "pet_not_found", "No pet has this id.");
  },
);

await app.ready();
// Otherwise `in-memory.ts` emits the connections.
if (process.argv[1] === import.meta.filename) {
  await app.listen({ port: 0, host: "127.0.0.1" });
  console.log(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
}
