import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { type Message, readApi, type Schema } from "../../scripts/page/api.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/pet.js";
import type { Answer } from "./client.js";

const PUBLIC = new URL("../../src/adapters/http/docs/public/", import.meta.url);
const API_JSON = readFileSync(new URL("openapi.json", PUBLIC), "utf8");

/** Forbids other members: clients must accept unknown ones, but the service sends none. */
const closed = (_: string, part: unknown) =>
  part instanceof Object && "properties" in part ? { ...part, additionalProperties: false } : part;

export const { operations, schemas } = readApi(JSON.parse(API_JSON, closed));

export const CODES = schemas.Error?.properties?.code?.["x-enum"] ?? {};

/** Headers that clients act on. A response contains them only where the API document describes them. */
const DESCRIBED_HEADERS = "deprecation idempotency-replayed link location retry-after sunset".split(" ");

/** The header that every response of a status contains, and its form. */
const REQUIRED_HEADERS: Readonly<Record<number, readonly [name: string, form: RegExp]>> = {
  201: ["location", /^\/v1\/\w+\/[1-9]\d*$/],
  401: ["www-authenticate", /^Bearer realm="petstore"/],
  405: ["allow", /^[A-Z]+(, [A-Z]+)*$/],
  429: ["retry-after", /^[1-9]\d*$/],
  503: ["retry-after", /^[1-9]\d*$/],
};

/** Returns the value of Allow at a path of the API document, such as `/pets/{petId}`; without a path, of the whole service. */
export function allowOf(path?: string): string {
  const atPath = operations.filter((operation) => path === undefined || operation.path === `/v1${path}`);
  return [...new Set([...atPath.map(({ method }) => method), "HEAD", "OPTIONS"])].sort().join(", ");
}

/**
 * Asserts that a response is as the API document describes it: its status, headers, media type and body. The path is
 * undefined if the test sent anything but a single request; then only an error is checked.
 */
export function expectDescribed(method: string, path: string | undefined, answer: Answer): void {
  const { status, headers, text } = answer;
  const target = (path ?? "").replace(/^https?:\/\/[^/]+/i, "").replace(/[?#].*$/, "");
  if (status < 400 && !target.startsWith("/v1/")) return;
  const [name = "x-request-id", form = /./] = REQUIRED_HEADERS[status] ?? [];
  expect(headers, `${status} ${text}`).to.have.property("x-request-id");
  expect(headers[name], `${name} of ${status} ${text}`).to.match(form);
  if (method === "OPTIONS" && status === 204) return;
  const response = responseOf(method, target, status);
  const about = `${status} of ${method} ${target}: ${text}`;
  expect(response, about).not.to.equal(undefined);
  if (path !== undefined) expectHeaders(response, headers, about);
  expect(headers["content-type"], about).to.equal("application/json");
  if (method === "HEAD") return;
  const body = JSON.parse(text);
  expectValid(response?.content?.["application/json"]?.schema ?? false, body, about);
  if (status >= 400) expect([body.status, CODES[body.code]?.status], about).to.deep.equal([status, status]);
  // JSON.parse has rounded these.
  for (const [, digits = ""] of text.matchAll(/"(?:id|categoryId)":([^,}]+)/g))
    expect(BigInt(digits) >= INT64_MIN && BigInt(digits) <= INT64_MAX, about).to.equal(true);
}

/** Returns the described response of an operation; outside any operation, that of an error. */
function responseOf(method: string, path: string, status: number): Message | undefined {
  const documented = method === "HEAD" ? "GET" : method;
  const operation = operations.find((candidate) => {
    const pattern = new RegExp(`^${candidate.path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return candidate.method === documented && pattern.test(path);
  });
  const otherError = status < 400 ? undefined : operations[0]?.responses.default;
  return operation?.responses[status] ?? otherError;
}

function expectHeaders(response: Message | undefined, headers: Answer["headers"], about: string): void {
  for (const [name, { schema }] of Object.entries(response?.headers ?? {})) {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) expectValid(schema, value, `${name} of ${about}`);
  }
  const described = Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase());
  const present = DESCRIBED_HEADERS.filter((name) => headers[name] !== undefined);
  expect(described, about).to.include.members(present);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat("int64", { type: "number", validate: Number.isInteger });

function expectValid(schema: Schema | false, value: unknown, about: string): void {
  const isValid = ajv.validate(schema, value);
  expect(isValid, `${about}: ${ajv.errorsText()}`).to.equal(true);
}
