import { exactJson } from "../exact-json.js";

/** The parts of the API document that the page shows, with every reference in its place. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly summary: string };
  readonly base: string;
  readonly operations: readonly Operation[];
  /** Those that have a name, in the order of the document. */
  readonly schemas: readonly Schema[];
}

export interface Operation {
  /** In upper case. */
  readonly method: string;
  /** With the base. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly "x-deprecated-sunset"?: string;
  readonly "x-replaced-by"?: string;
  readonly "x-stability"?: string;
  readonly "x-hideTryItPanel"?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Omit<Parameter, "name" | "in">>>;
  /** Undefined if the answer has no body. */
  readonly content?: Content;
}

/** By media type. */
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Schema {
  /** The name of the schema that a reference led to. */
  readonly referred?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly examples?: readonly (string | number | bigint)[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly minLength?: bigint;
  readonly maxLength?: bigint;
  readonly maxItems?: bigint;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Every error code of today. */
  readonly "x-enum"?: Readonly<Record<string, { readonly status: bigint; readonly advice: string }>>;
}

/** The document as the page shows it. The operations are in its order. */
export function readDocument(openApi: unknown): ApiDocument {
  const { info, servers, paths, components } = resolved(openApi) as {
    readonly info: ApiDocument["info"];
    readonly servers: readonly [{ readonly url: string }];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const base = servers[0].url;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      return { ...operation, method: method.toUpperCase(), path: base + path };
    }),
  );
  const schemas = Object.entries(components.schemas).map(([referred, schema]) => ({ ...schema, referred }));
  return { info, base, operations, schemas };
}

/** The status and the answer of a success. */
export function successOf({ responses }: Operation): [status: string, response: Response] {
  const answers = Object.entries(responses);
  return answers.find(([status]) => status.startsWith("2")) ?? (answers[0] as [string, Response]);
}

/** A body in the first of its media types, with the example as it is sent. */
export function bodyOf({ content = {} }: { readonly content?: Content } = {}) {
  const [first] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema, example = "" }] = first;
  return { type, schema, text: /[/+]json$/.test(type) ? exactJson(example, 2) : String(example) };
}

/** Puts in place of each reference the component that it names; members beside the reference stay. */
function resolved(part: unknown, document: unknown = part): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, document));
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...beside } = part as { readonly $ref?: string };
  const members = Object.fromEntries(
    Object.entries(beside).map(([name, member]) => [name, resolved(member, document)]),
  );
  if ($ref === undefined) return members;
  const names = $ref.slice(2).split("/");
  const target = names.reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document);
  return { ...(resolved(target, document) as object), referred: names.at(-1), ...members };
}
