import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
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

// No framework: the same service, carefully written on node:http.

const catalogue = new Catalogue();

type Answer = [status: number, body: unknown, headers?: Record<string, string>];

const refusal = (code: string, message: string): Answer => [400, errorOf(400, code, message)];

const isStatus = (value: unknown): value is Status => STATUSES.includes(value as Status);

function list(query: string): Answer {
  const parameters = new URLSearchParams(query);
  const limit = Number(parameters.get("limit") ?? 20);
  const status = parameters.get("status") ?? undefined;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    return refusal("invalid_parameter", "limit must be an integer from 1 to 100.");
  }
  if (status !== undefined && !isStatus(status)) {
    return refusal("invalid_parameter", "status must be available, pending or sold.");
  }
  return [200, catalogue.list(limit, status)];
}

function create(text: string): Answer {
  let body: Partial<NewPet> | null;
  try {
    body = JSON.parse(text);
  } catch {
    return refusal("invalid_json", "The body is not valid JSON.");
  }
  const { name, categoryId, status } = body ?? {};
  if (typeof name !== "string" || name.length < 1 || name.length > 255) {
    return refusal("invalid_field", "name must be a string of 1 to 255 characters.");
  }
  if (!Number.isInteger(categoryId)) return refusal("invalid_field", "categoryId must be an integer.");
  if (status !== undefined && !isStatus(status)) {
    return refusal("invalid_field", "status must be available, pending or sold.");
  }
  const pet = catalogue.create({ name, categoryId: categoryId as number, status });
  return [201, pet, { Location: `/v1/pets/${pet.id}` }];
}

function get(path: string): Answer {
  const [, petId] = /^\/v1\/pets\/(\d+)$/.exec(path) ?? [];
  const pet = petId && catalogue.get(Number(petId));
  return pet ? [200, pet] : [404, NOT_FOUND];
}

function send(res: ServerResponse, [status, body, headers]: Answer): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  res.writeHead(status, { "Content-Type": "application/json", "Content-Length": length, ...headers });
  res.end(text);
}

const server = createServer((req, res) => {
  const [path = "", query = ""] = (req.url ?? "").split("?", 2);
  if (!isAuthorized(req.headers.authorization)) {
    send(res, [401, UNAUTHORIZED, { "WWW-Authenticate": CHALLENGE }]);
  } else if (req.method === "POST" && path === "/v1/pets") {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => send(res, create(Buffer.concat(chunks).toString())));
  } else send(res, path === "/v1/pets" ? list(query) : get(path));
});
server.listen(0, "127.0.0.1", () => announce((server.address() as AddressInfo).port));
