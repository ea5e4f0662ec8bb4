import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { pino } from "pino";
import { Counter, Histogram } from "prom-client";

// The same operations as Fastify's guide shows them, with the duties of this service: keys by digest, a request id, a line
// of Fastify's own log, a histogram and a counter. It has no paging, int64, idempotency or security headers.

const status = { type: "string", enum: ["available", "pending", "sold"] };
const members = { name: { type: "string", minLength: 1, maxLength: 255 }, categoryId: { type: "integer" } };
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: { ...members, status: { ...status, default: "available" } },
};
const pet = {
  type: "object",
  properties: { id: { type: "integer" }, ...members, status: { type: "string" } },
};
const query = {
  type: "object",
  properties: { limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, status },
};

interface Pet {
  readonly id: number;
  readonly status: string;
}

const pets: Pet[] = [];
const digest = (secret: string) => createHash("sha256").update(secret).digest();
const accepted = digest(process.env.PETSTORE_API_KEY ?? "");
const labelNames = ["operation", "method", "status"];
const durations = new Histogram({ name: "http_request_duration_seconds", help: "Durations", labelNames });
const requests = new Counter({ name: "http_requests_total", help: "Requests", labelNames });
const destination = pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 100 });

const app = fastify({
  logger: { stream: destination },
  disableRequestLogging: true,
  genReqId: () => randomUUID(),
});
app.addHook("onRequest", async (request, reply) => {
  reply.header("X-Request-Id", request.id);
  const { authorization = "" } = request.headers;
  if (timingSafeEqual(digest(authorization.replace(/^bearer /i, "")), accepted)) return;
  reply.code(401).header("WWW-Authenticate", 'Bearer realm="petstore"');
  return reply.send({ code: "invalid_credentials", message: "The API key is not accepted.", status: 401 });
});
app.addHook("onResponse", async ({ id: requestId, method, ip: client, routeOptions }, reply) => {
  const operation = routeOptions.url ?? "none";
  const { elapsedTime: ms, statusCode: status } = reply;
  durations.observe({ operation, method, status }, ms / 1000);
  requests.inc({ operation, method, status });
  app.log.info({ requestId, operation, method, status, key: "bench", client, ms }, "request");
});

app.get<{ Querystring: { limit: number; status?: string } }>(
  "/v1/pets",
  { schema: { querystring: query, response: { 200: { type: "array", items: pet } } } },
  async ({ query: { limit, status } }) =>
    (status ? pets.filter((pet) => pet.status === status) : pets).slice(0, limit),
);
app.post<{ Body: Omit<Pet, "id"> }>(
  "/v1/pets",
  { schema: { body: newPet, response: { 201: pet } } },
  async ({ body }, reply) => {
    const created = { id: pets.length + 1, ...body };
    pets.push(created);
    return reply.code(201).header("Location", `/v1/pets/${created.id}`).send(created);
  },
);
app.get<{ Params: { petId: number } }>(
  "/v1/pets/:petId",
  {
    schema: {
      params: { type: "object", properties: { petId: { type: "integer" } } },
      response: { 200: pet },
    },
  },
  async ({ params }, reply) =>
    pets[params.petId - 1] ?? reply.code(404).send({ code: "pet_not_found", message: "", status: 404 }),
);

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
