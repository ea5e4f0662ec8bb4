import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { pino } from "pino";
import { Histogram } from "prom-client";

// The same service as Fastify's guide shows it: a schema for each request, and one for each answer, which compiles its
// serializer. With BENCH_DUTIES it also has the duties of this service: a request id, a line of the log for each request,
// and a histogram. Without, it has no log at all. It has no paging and no int64.

type Status = "available" | "pending" | "sold";

interface NewPet {
  name: string;
  categoryId: number;
  status: Status;
}

interface Pet extends NewPet {
  id: number;
}

const status = { type: "string", enum: ["available", "pending", "sold"] };
const fields = { name: { type: "string", minLength: 1, maxLength: 255 }, categoryId: { type: "integer" } };
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: { ...fields, status: { ...status, default: "available" } },
};
const pet = {
  type: "object",
  required: ["id", "name", "categoryId", "status"],
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status: { type: "string" },
  },
};
const error = {
  type: "object",
  required: ["code", "message", "status"],
  properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
};
const listQuery = {
  type: "object",
  properties: { limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, status },
};
const petParams = { type: "object", properties: { petId: { type: "integer" } } };

const pets: Pet[] = [];
const byStatus: Record<Status, Pet[]> = { available: [], pending: [], sold: [] };

const digest = (secret: string) => createHash("sha256").update(secret).digest();
const accepted = digest(process.env.BENCH_API_KEY ?? "");

function isAuthorized(header: string | undefined): boolean {
  return (
    header !== undefined && /^bearer /i.test(header) && timingSafeEqual(digest(header.slice(7)), accepted)
  );
}

const app = fastify({ logger: false, genReqId: () => randomUUID() });

if (process.env.BENCH_DUTIES) {
  const log = pino({}, pino.destination({ dest: 1, sync: false, minLength: 4096 }));
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Duration of requests",
    labelNames: ["operation", "method", "status"],
  });
  app.addHook("onRequest", async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("X-Request-Id", request.id);
  });
  app.addHook("onResponse", async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, ip } = request;
    const operation = request.routeOptions.url ?? "none";
    const ms = reply.elapsedTime;
    durations.observe({ operation, method, status: reply.statusCode }, ms / 1000);
    log.info(
      { requestId: request.id, operation, method, status: reply.statusCode, key: "bench", client: ip, ms },
      "request",
    );
  });
}

app.setErrorHandler((failure: FastifyError, _request, reply) => {
  const status = failure.statusCode ?? 500;
  const code = failure.validation ? "invalid_field" : "malformed_request";
  return reply.code(status).send({ code, message: failure.message, status });
});

app.register(
  async (v1) => {
    v1.addHook("onRequest", async (request, reply) => {
      if (isAuthorized(request.headers.authorization)) return;
      const message = "The API key is not accepted.";
      reply.code(401).header("WWW-Authenticate", 'Bearer realm="petstore"');
      return reply.send({ code: "invalid_credentials", message, status: 401 });
    });

    v1.get<{ Querystring: { limit: number; status?: Status } }>(
      "/pets",
      { schema: { querystring: listQuery, response: { 200: { type: "array", items: pet }, "4xx": error } } },
      async ({ query }) => (query.status ? byStatus[query.status] : pets).slice(0, query.limit),
    );

    v1.post<{ Body: NewPet }>(
      "/pets",
      { schema: { body: newPet, response: { 201: pet, "4xx": error } } },
      async ({ body: { name, categoryId, status } }, reply) => {
        const created = { id: pets.length + 1, name, categoryId, status };
        pets.push(created);
        byStatus[status].push(created);
        return reply.code(201).header("Location", `/v1/pets/${created.id}`).send(created);
      },
    );

    v1.get<{ Params: { petId: number } }>(
      "/pets/:petId",
      { schema: { params: petParams, response: { 200: pet, "4xx": error } } },
      async ({ params }, reply) =>
        pets[params.petId - 1] ??
        reply.code(404).send({ code: "pet_not_found", message: "No pet has this petId.", status: 404 }),
    );
  },
  { prefix: "/v1" },
);

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
