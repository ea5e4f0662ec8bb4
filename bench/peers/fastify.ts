import type { AddressInfo } from "node:net";
import { type FastifyError, fastify } from "fastify";
import {
  announce,
  Catalogue,
  CHALLENGE,
  errorOf,
  isAuthorized,
  type NewPet,
  NOT_FOUND,
  STATUSES,
  type Status,
  UNAUTHORIZED,
} from "./catalogue.js";

// Fastify as its guide shows it: a schema for each request, and one for each answer, which compiles its serializer.

const status = { type: "string", enum: STATUSES };
const newPet = {
  type: "object",
  required: ["name", "categoryId"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255 },
    categoryId: { type: "integer" },
    status: { ...status, default: "available" },
  },
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

const catalogue = new Catalogue();
const app = fastify({ logger: false });

app.setErrorHandler((failure: FastifyError, _request, reply) => {
  const status = failure.statusCode ?? 500;
  const code = failure.validation ? "invalid_field" : "malformed_request";
  return reply.code(status).send(errorOf(status, code, failure.message));
});

app.register(
  async (v1) => {
    v1.addHook("onRequest", (request, reply, done) => {
      if (isAuthorized(request.headers.authorization)) done();
      else reply.code(401).header("WWW-Authenticate", CHALLENGE).send(UNAUTHORIZED);
    });

    v1.get<{ Querystring: { limit: number; status?: Status } }>(
      "/pets",
      { schema: { querystring: listQuery, response: { 200: { type: "array", items: pet }, "4xx": error } } },
      async (request) => catalogue.list(request.query.limit, request.query.status),
    );

    v1.post<{ Body: NewPet }>(
      "/pets",
      { schema: { body: newPet, response: { 201: pet, "4xx": error } } },
      async (request, reply) => {
        const created = catalogue.create(request.body);
        return reply.code(201).header("Location", `/v1/pets/${created.id}`).send(created);
      },
    );

    v1.get<{ Params: { petId: number } }>(
      "/pets/:petId",
      { schema: { params: petParams, response: { 200: pet, "4xx": error } } },
      async (request, reply) => catalogue.get(request.params.petId) ?? reply.code(404).send(NOT_FOUND),
    );
  },
  { prefix: "/v1" },
);

await app.listen({ port: 0, host: "127.0.0.1" });
announce((app.server.address() as AddressInfo).port);
