import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";

/** The parts of an answer that the API document describes. */
export interface ReceivedAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

interface DescribedHeader {
  readonly $ref?: string;
  readonly required?: boolean;
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

type Responses = Readonly<Record<string, DescribedResponse>>;

interface ApiDocument {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
  readonly components: { readonly schemas: { readonly Pet: { readonly properties: object } } };
  readonly "x-other-answers": { readonly responses: Responses };
}

/** The API document as it is served. */
export const API_DOCUMENT: ApiDocument = JSON.parse(
  readFileSync(new URL("../../src/api-document/public/openapi.json", import.meta.url), "utf8"),
);

/** Headers of HTTP itself, and those for browsers and caches. The API document does not describe them. */
const OF_HTTP = [
  "cache-control",
  "connection",
  "content-length",
  "content-security-policy",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-content-type-options",
];

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addFormat("int64", { type: "number", validate: Number.isInteger });
ajv.addSchema(API_DOCUMENT, "api");

/**
 * Asserts that the API document describes an answer for this operation: its status, every header, its media
 * type and its body. If the path is none of the API's, `x-other-answers` must describe it. `path` is
 * undefined if the test may have sent something else than a request; then any place may describe the answer.
 */
export function expectDescribed(method: string, path: string | undefined, answer: ReceivedAnswer): void {
  if (path === undefined) expectDescribedSomewhere(method, answer);
  else if (isOfApi(path) || answer.status >= 400) expectDescribedAt(pointerTo(method, path), method, answer);
}

/** Whether a path belongs to the API. The documents outside it are no operations. */
function isOfApi(path: string): boolean {
  return /^\/v1(\/|$|\?)/.test(path);
}

const OTHER = "/x-other-answers";

function pointerTo(method: string, path: string): string {
  const base = API_DOCUMENT.servers[0].url;
  const pathname = path.replace(/^https?:\/\/[^/]+/i, "").replace(/[?#].*$/, "");
  for (const [template, item] of Object.entries(API_DOCUMENT.paths)) {
    const pattern = new RegExp(`^${base}${template.replace(/\{\w+\}/g, "[^/]+")}$`);
    const asked = method === "HEAD" ? "get" : method.toLowerCase();
    if (pattern.test(pathname) && item[asked]) return `/paths/${template.replaceAll("/", "~1")}/${asked}`;
  }
  return OTHER;
}

function expectDescribedSomewhere(method: string, answer: ReceivedAnswer): void {
  const failures: unknown[] = [];
  const operations = Object.entries(API_DOCUMENT.paths).flatMap(([template, item]) =>
    Object.keys(item).map((method) => `/paths/${template.replaceAll("/", "~1")}/${method}`),
  );
  for (const pointer of [OTHER, ...operations]) {
    try {
      expectDescribedAt(pointer, method, answer);
      return;
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw failures[0];
}

function expectDescribedAt(pointer: string, method: string, { status, headers, text }: ReceivedAnswer): void {
  const place = `${pointer}/responses/${status}`;
  const response = at(place) as DescribedResponse | undefined;
  expect(response, `${place}: the API document does not describe this status (${text})`).not.to.equal(
    undefined,
  );
  expectHeaders(place, response as DescribedResponse, headers);
  const types = Object.keys(response?.content ?? {});
  if (types.length === 0) {
    expect(text, `${place} describes no body`).to.equal("");
    return;
  }
  const type = headers["content-type"] ?? "";
  expect(types, `${place}: media type`).to.include(type);
  if (method !== "HEAD") expectBody(`${place}/content/${type.replace("/", "~1")}/schema`, text);
}

function expectHeaders(place: string, response: DescribedResponse, headers: ReceivedAnswer["headers"]): void {
  const described = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), { name, header }]),
  );
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OF_HTTP.includes(name)) continue;
    const header = described.get(name);
    expect(header, `${place}: the API document does not describe the header ${name}`).not.to.equal(undefined);
    const pointer = header?.header.$ref?.slice(1) ?? `${place}/headers/${header?.name}`;
    expectValid(`${pointer}/schema`, value, `${place}: header ${name}`);
  }
  for (const [name, { header }] of described) {
    const { required } = header.$ref ? (at(header.$ref.slice(1)) as DescribedHeader) : header;
    if (required) expect(headers, `${place}: the header ${name} is promised`).to.have.property(name);
  }
}

function expectBody(pointer: string, text: string): void {
  const body: unknown = JSON.parse(text);
  expectValid(pointer, body, `${pointer}: ${text}`);
  // A schema accepts unknown members, and JSON.parse has rounded the digits; this checks both exactly.
  for (const item of Array.isArray(body) ? body : [body]) {
    if ("id" in item)
      expect(API_DOCUMENT.components.schemas.Pet.properties).to.include.all.keys(Object.keys(item));
  }
  for (const [, digits = ""] of text.matchAll(/"(?:id|categoryId)":([^,}\]]+)/g)) {
    expect(digits).to.match(/^-?\d{1,19}$/);
    expect(BigInt.asIntN(64, BigInt(digits)), `${digits} is no int64`).to.equal(BigInt(digits));
  }
}

function expectValid(pointer: string, value: unknown, about: string): void {
  const validate = ajv.getSchema(`api#${encodeURI(pointer)}`);
  if (!validate) throw new Error(`The API document has no schema at ${pointer}.`);
  expect(validate(value), `${about}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

/** The value that a JSON pointer leads to; undefined if it leads nowhere. */
function at(pointer: string): unknown {
  let place: unknown = API_DOCUMENT;
  for (const name of pointer.slice(1).split("/")) {
    place = (place as Record<string, unknown> | undefined)?.[name.replaceAll("~1", "/")];
  }
  return place;
}
