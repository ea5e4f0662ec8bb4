import { API_KEY } from "../../test/support/start-app.js";
import type { Random } from "../random.js";
import { anyBody } from "./bodies.js";

/** A generated request. */
export interface GeneratedRequest {
  readonly method: string;
  /** The target; undefined if the bytes may not be an HTTP request at all. */
  readonly path: string | undefined;
  readonly bytes: Buffer;
}

const OTHER_METHODS = [
  "HEAD",
  "HEAD",
  "OPTIONS",
  "OPTIONS",
  "PUT",
  "DELETE",
  "PATCH",
  "TRACE",
  "get",
  "BREW",
];
const PATHS = [
  "/v1/pets",
  "/v1/pets",
  "/v1/pets",
  "/v1/pets",
  "/v1/pets/1",
  "/v1/store/orders",
  "/v1",
  "/",
  "/v2/pets",
  "/openapi.json",
];
const IDS = [
  "1",
  "2",
  "0",
  "-1",
  "01",
  "+1",
  "1.0",
  "1e0",
  "0x1",
  "9223372036854775807",
  "9223372036854775808",
  "%31",
  "%00",
  "%",
  "..",
  "é",
  "1%2F2",
];
const PARAMETERS = ["limit", "status", "cursor", "Limit", "offset", "", "limit%20", "__proto__", "%ff"];
const VALUES = [
  "",
  "1",
  "20",
  "100",
  "101",
  "0",
  "-1",
  "1e1",
  "5.0",
  "+5",
  "%35",
  "available",
  "sold",
  "lost",
  "Sold",
  "%",
  "%zz",
  "x".repeat(300),
  "AQEAAAAAAAAAAWw0J50",
  "null",
  "[]",
  "a=b",
];

/** Header lines by name, each with values that are right and values that are not. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "Content-Type": [
    "application/json",
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "text/plain",
    "application/json; charset=latin1",
    "application/json-patch+json",
    "",
    "multipart/form-data; boundary=x",
  ],
  Accept: [
    "application/json",
    "*/*",
    "text/html",
    "application/*;q=0.5",
    "application/json;q=0",
    "",
    "x",
    "text/html, application/json",
  ],
  "Idempotency-Key": ["abc", '"abc"', '"abc', "", " ", "a b", "x".repeat(255), "x".repeat(256), "é", "a,b"],
  Prefer: ["handling=strict", "handling=lenient", "return=minimal", "", "handling=strict, wait=1", '"'],
  Expect: ["100-continue", "200-ok", ""],
  "Content-Encoding": ["identity", "gzip", ""],
  "If-None-Match": ["*", '"x"', "x"],
  Origin: ["https://example.org", "null", ""],
  "X-Request-Id": ["a", "x".repeat(500), "é\u0001"],
  Range: ["bytes=0-1", "x"],
  Connection: ["keep-alive", "close", "upgrade", ""],
  Upgrade: ["websocket", "h2c"],
  "X-Forwarded-For": ["1.2.3.4", "x, y"],
  traceparent: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-x"],
  Cookie: ["a=b", "x".repeat(3000)],
  "X-Any": ["1", "x".repeat(20_000)],
};

const CREDENTIALS = [
  `Bearer ${API_KEY}`,
  `bearer ${API_KEY}`,
  "Bearer",
  "Bearer x",
  "Basic eDp5",
  `Bearer  ${API_KEY}`,
  `Bearer ${API_KEY}, x`,
  "",
  "é",
];

/** Draws a request: mostly right, and wrong in a few places. */
export function generate(random: Random): GeneratedRequest {
  const method = random.chance(0.15) ? random.pick(OTHER_METHODS) : random.pick(["GET", "POST"]);
  const path = method === "POST" && random.chance(0.9) ? "/v1/pets" : anyPath(random);
  const lines = [`${method} ${path} HTTP/1.1`, "Host: petstore.test"];
  lines.push(`Authorization: ${random.chance(0.85) ? CREDENTIALS[0] : random.pick(CREDENTIALS)}`);
  const names = Object.keys(HEADERS);
  for (let count = random.pick([0, 0, 1, 1, 2, 4]); count > 0; count--)
    lines.push(anyHeader(random.pick(names), random));
  const body = method === "POST" || random.chance(0.1) ? anyBody(random) : undefined;
  if (body && random.chance(0.9)) lines.push("Content-Type: application/json");
  if (body) lines.push(`Content-Length: ${body.length}`);
  const isHttp = !random.chance(0.03) || !spoil(lines, random);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return { method, path: isHttp ? path : undefined, bytes: body ? Buffer.concat([head, body]) : head };
}

function anyPath(random: Random): string {
  const plain = random.chance(0.25) ? `/v1/pets/${random.pick(IDS)}` : random.pick(PATHS);
  const path = random.chance(0.05)
    ? `${plain}${random.pick(["/", "//", "/x", "%2F", ";a=b", "/../pets"])}`
    : plain;
  const count = random.pick([0, 0, 0, 1, 1, 2, 3]);
  const query = Array.from({ length: count }, () => {
    const name = random.chance(0.85) ? random.pick(["limit", "status", "cursor"]) : random.pick(PARAMETERS);
    return random.chance(0.95) ? `${name}=${random.pick(VALUES)}` : name;
  });
  return count > 0 ? `${path}?${query.join("&")}` : path;
}

function anyHeader(name: string, random: Random): string {
  return `${name}: ${random.pick(HEADERS[name] ?? [])}`;
}

/** Breaks a rule of HTTP. */
function spoil(lines: string[], random: Random): true {
  const spoilings: (() => void)[] = [
    () => lines.splice(1, 1),
    () => lines.push("Host: another.test"),
    () => lines.push("no colon"),
    () => lines.push("Bad Name: x"),
    () => lines.push(`Nul: ${String.fromCharCode(0)}`),
    () => lines.push("Content-Length: x"),
    () => lines.push("Content-Length: -1"),
    () => lines.push("Transfer-Encoding: gzip"),
    () => lines.push("Transfer-Encoding: chunked", "Content-Length: 3"),
    () => lines.splice(0, 1, `${lines[0]} x`),
    () => lines.splice(0, 1, "GET /v1/pets HTTP/9.9"),
    () => lines.splice(0, 1, "GET  HTTP/1.1"),
    () => lines.splice(0, 1, `GET /${"x".repeat(30_000)} HTTP/1.1`),
  ];
  random.pick(spoilings)();
  return true;
}
