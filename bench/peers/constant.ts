import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { announce, Catalogue, CHALLENGE, errorOf, STATUSES, UNAUTHORIZED } from "./catalogue.js";

// The upper limit: node:http alone, which reads and checks nothing, and sends texts that it made at its
// start.

const catalogue = new Catalogue();
for (let id = 1; id <= 1000; id++) {
  catalogue.create({ name: `Pet ${id}`, categoryId: id, status: STATUSES[(id - 1) % STATUSES.length] });
}

function constant(status: number, body: unknown, headers = {}): (res: ServerResponse) => void {
  const text = JSON.stringify(body);
  const all = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text), ...headers };
  return (res) => {
    res.writeHead(status, all);
    res.end(text);
  };
}

const page = constant(200, catalogue.list(20, undefined));
const filtered = constant(200, catalogue.list(100, "sold"));
const pet = constant(200, catalogue.get(500));
const created = constant(201, catalogue.get(500), { Location: "/v1/pets/500" });
const refused = constant(400, errorOf(400, "invalid_field", "categoryId must be an integer."));
const unauthorized = constant(401, UNAUTHORIZED, { "WWW-Authenticate": CHALLENGE });

const server = createServer((req, res) => {
  const { authorization, "content-length": length } = req.headers;
  if (authorization === undefined) unauthorized(res);
  // This server reads no body, so it takes a body that is too short for a pet for one to refuse.
  else if (req.method === "POST") (Number(length) < 20 ? refused : created)(res);
  else if (req.url === "/v1/pets") page(res);
  else if (req.url?.startsWith("/v1/pets?")) filtered(res);
  else pet(res);
});
server.listen(0, "127.0.0.1", () => announce((server.address() as AddressInfo).port));
