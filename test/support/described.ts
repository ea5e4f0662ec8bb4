import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import type { Answer } from "./client.js";

interface DescribedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface ApiDocument {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { operationId: string; responses: Record<string, DescribedResponse> }>>
    >
  >;
}

/** The text of the API document as it is served. */
export const API_JSON = readFileSync(
  new URL("../../src/adapters/http/docs/public/openapi.json", import.meta.url),
  "utf8",
);
export const API_DOCUMENT: ApiDocument = JSON.parse(API_JSON);

/** The headers on which a client acts: where one can come, the API document describes it. */
const DESCRIBED = ["deprecation", "idempotency-replayed", "link", "location", "retry-after", "sunset"];

/** All others that an answer may have. */
const OTHERS = [
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "cache-control",
  "content-security-policy",
  "x-content-type-options",
  "vary",
  "allow",
  "www-authenticate",
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-max-age",
];

/** The headers that an answer of a status never lacks. */
const NEVER_MISSING: Readonly<Record<number, string>> = {
  201: "location",
  401: "www-authenticate",
  405: "allow",
  429: "retry-after",
  503: "retry-after",
};

/** The value of Allow at a path of the API document, e.g. `/pets/{petId}`; that of the whole service if it is undefined. */
export function allowOf(path?: string): string {
  const operations = Object.entries(API_DOCUMENT.paths).filter(([one]) => one === (path ?? one));
  const methods = operations.flatMap(([, item]) => Object.keys(item).map((method) => method.toUpperCase()));
  return [...new Set([...methods, "HEAD", "OPTIONS"])].sort().join(", ");
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addFormat("int64", { type: "number", validate: Number.isInteger });
ajv.addSchema(API_DOCUMENT, "api");

/**
 * Asserts that the API document describes an answer for this operation: its status, every header, its media type and
 * its body. At a path or with a method of no operation, it describes errors only. `path` is undefined if the test may
 * have sent something else than a request; then any place may describe the answer.
 */
export function expectDescribed(method: string, path: string | undefined, answer: Answer): void {
  if (path === undefined) expectDescribedSomewhere(method, answer);
  else if (/^\/v1(\/|$|\?)/.test(path) || answer.status >= 400) {
    expectDescribedAt(operationAt(method, path), method, answer);
  }
}

/** The pointer to an operation; undefined if there is none. */
function operationAt(method: string, path: string): string | undefined {
  const base = API_DOCUMENT.servers[0].url;
  const pathname = path.replace(/^https?:\/\/[^/]+/i, "").replace(/[?#].*$/, "");
  const asked = method === "HEAD" ? "get" : method.toLowerCase();
  const found = Object.entries(API_DOCUMENT.paths).find(([template, operations]) => {
    const pattern = new RegExp(`^${base}${template.replace(/\{\w+\}/g, "[^/]+")}$`);
    return operations[asked] && pattern.test(pathname);
  });
  return found && `/paths/${found[0].replaceAll("/", "~1")}/${asked}`;
}

function expectDescribedSomewhere(method: string, answer: Answer): void {
  // Only OPTIONS gives Allow with a success.
  if (answer.headers.allow && answer.status === 204) {
    expectDescribedAt(undefined, "OPTIONS", answer);
    return;
  }
  const operations = Object.entries(API_DOCUMENT.paths).flatMap(([template, item]) =>
    Object.keys(item).map((asked) => `/paths/${template.replaceAll("/", "~1")}/${asked}`),
  );
  const failures: unknown[] = [];
  for (const operation of [undefined, ...operations]) {
    try {
      expectDescribedAt(operation, method, answer);
      return;
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw failures[0];
}

function expectDescribedAt(operation: string | undefined, method: string, answer: Answer): void {
  const { status, headers, text } = answer;
  const place = responseAt(operation, status);
  expectHeaders(place, answer);
  // Every path answers OPTIONS; no operation describes that.
  if (status === 204 && (place || method === "OPTIONS")) {
    expect(text).to.equal("");
    return;
  }
  expect(place, `the API document does not describe ${status} (${text})`).not.to.equal(undefined);
  expect(headers["content-type"], "media type").to.equal("application/json");
  if (method === "HEAD") return;
  const body: unknown = JSON.parse(text);
  expectValid(`${place}/content/application~1json/schema`, body, text);
  if (status >= 400) expectError(body as { code: string; status: number }, status);
  else expectMembers(text, body, at(`${place}/content/application~1json/schema`) as Schema);
}

/** The pointer to what describes a status: the response of the operation, or where there is none, that of any error. */
function responseAt(operation: string | undefined, status: number): string | undefined {
  const anyError = status >= 400 ? "/components/responses/OtherError" : undefined;
  if (operation === undefined) return anyError;
  const responses = at(`${operation}/responses`) as Record<string, DescribedResponse>;
  const response = responses[status] ?? (status >= 400 ? responses.default : undefined);
  return response && (response.$ref?.slice(1) ?? `${operation}/responses/${status}`);
}

function expectHeaders(place: string | undefined, { status, headers }: Answer): void {
  const described = Object.entries((place && (at(place) as DescribedResponse).headers) || {});
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OTHERS.includes(name)) continue;
    expect(DESCRIBED, `${place}: an unknown header`).to.include(name);
    const [, header] = described.find(([one]) => one.toLowerCase() === name) ?? [];
    expect(header, `${place}: the API document does not describe the header ${name}`).not.to.equal(undefined);
    expectValid(`${header?.$ref.slice(1)}/schema`, value, `${place}: header ${name}`);
  }
  for (const name of ["x-request-id", NEVER_MISSING[status] ?? "x-request-id"]) {
    expect(headers, `${place}: the header never lacks`).to.have.property(name);
  }
}

/** Every error code of the API document. */
export const CODES = at("/components/schemas/Error/properties/code/x-enum") as Readonly<
  Record<string, { readonly status: number; readonly advice: string }>
>;

/** The members of a pet, in the order of the API document. */
export const PET_MEMBERS = Object.keys(membersOf(at("/components/schemas/Pet") as Schema));

function expectError({ code, status }: { code: string; status: number }, answered: number): void {
  expect(CODES, "the codes in the API document").to.have.property(code);
  expect(status, "the status of the body").to.equal(answered);
  expect(CODES[code]?.status, "the status of its code").to.equal(answered);
}

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The members of an object, or of each item of a list, with their schemas. */
function membersOf({ $ref, items, allOf = [], properties }: Schema): Record<string, Schema> {
  const parts = [...($ref ? [at($ref.slice(1)) as Schema] : []), ...(items ? [items] : []), ...allOf];
  return Object.assign({}, properties, ...parts.map(membersOf));
}

/** A schema accepts unknown members, and JSON.parse has rounded the digits; this checks both exactly. */
function expectMembers(text: string, body: unknown, schema: Schema): void {
  const members = membersOf(schema);
  for (const item of [body].flat())
    expect(Object.keys(members)).to.include.members(Object.keys(item as object));
  for (const [name, member] of Object.entries(members)) {
    if (resolved(member).format !== "int64") continue;
    for (const [, digits = ""] of text.matchAll(new RegExp(`"${name}":([^,}\\]]+)`, "g"))) {
      expect(digits).to.match(/^-?\d{1,19}$/);
      expect(BigInt.asIntN(64, BigInt(digits)), `${digits} is no int64`).to.equal(BigInt(digits));
    }
  }
}

function resolved(schema: Schema): Schema {
  return schema.$ref ? resolved(at(schema.$ref.slice(1)) as Schema) : schema;
}

/** Asserts that a value has the schema at a pointer into the API document. */
export function expectValid(pointer: string, value: unknown, about: string): void {
  const validate = ajv.getSchema(`api#${encodeURI(pointer)}`);
  if (!validate) throw new Error(`The API document has no schema at ${pointer}.`);
  expect(validate(value), `${about}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

/** The value that a JSON pointer into the API document leads to; undefined if it leads nowhere. */
export function at(pointer: string): unknown {
  let place: unknown = API_DOCUMENT;
  for (const name of pointer.slice(1).split("/")) {
    place = (place as Record<string, unknown> | undefined)?.[name.replaceAll("~1", "/")];
  }
  return place;
}

interface Described {
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example: unknown }>> };
}

/** A request to a route as the examples of the API document have it: method, path, and what goes with them. */
export function exampleOf(method: string, route: string) {
  const template = route.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}");
  const { requestBody, parameters = [] } = at(
    `/paths/${template.replaceAll("/", "~1")}/${method}`,
  ) as Described;
  const described = parameters.map(({ $ref, ...parameter }) => ($ref ? at($ref.slice(1)) : parameter)) as {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  const required = (place: string) => described.filter((one) => one.in === place && one.required);
  const path = required("path").reduce(
    (filled, { name, example }) => filled.replace(`:${name}`, `${example}`),
    route,
  );
  const headers = Object.fromEntries(required("header").map(({ name, example }) => [name, `${example}`]));
  const [content] = Object.entries(requestBody?.content ?? {});
  const [type, { example }] = content ?? ["", { example: undefined }];
  const options = content && { headers: { ...headers, "Content-Type": type }, body: JSON.stringify(example) };
  return [method.toUpperCase(), path, options ?? { headers }] as const;
}
