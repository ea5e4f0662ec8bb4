/** The parts of the API document that the page shows, with every `$ref` resolved. */
export interface Api {
  readonly info: { readonly title: string; readonly version: string; readonly summary: string };
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface Operation {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** Includes the path of the server. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly "x-deprecated-sunset"?: string;
  readonly "x-replaced-by"?: string;
  readonly "x-stability"?: string;
  readonly "x-hideTryItPanel"?: boolean;
  readonly parameters?: readonly Field[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

/** A parameter, a response header, or a member of an object. */
export interface Field {
  readonly name: string;
  /** Where a parameter goes. */
  readonly in?: string;
  readonly description?: string | undefined;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: string | bigint;
}

/** The body of a request, or a response. */
export interface Message {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Omit<Field, "name">>>;
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}

export interface Schema {
  /** The name of the component that a `$ref` led to. */
  readonly component?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: string | bigint;
  readonly examples?: readonly string[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly minLength?: bigint;
  readonly maxLength?: bigint;
  readonly maxItems?: bigint;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-enum"?: Readonly<Record<string, { readonly status: bigint; readonly advice: string }>>;
}

/** Reads a parsed OpenAPI document whose integers are bigints. */
export function readApi(document: unknown): Api {
  const { info, servers, paths, components } = resolve(document, document) as {
    readonly info: Api["info"];
    readonly servers: readonly [{ readonly url: string }];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Api["schemas"] };
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      return { ...operation, method: method.toUpperCase(), path: servers[0].url + path };
    }),
  );
  return { info, operations, schemas: components.schemas };
}

/** Replaces each `$ref` with its target; members beside it take precedence. */
function resolve(part: unknown, document: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => resolve(item, document));
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...others } = part as { readonly $ref?: string };
  const members = Object.fromEntries(
    Object.entries(others).map(([name, member]) => [name, resolve(member, document)]),
  );
  if ($ref === undefined) return members;
  const path = $ref.slice("#/".length).split("/");
  const target = path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document);
  return { ...(resolve(target, document) as object), component: path.at(-1), ...members };
}

/** The body of a request or response in its first media type. */
export function bodyOf({ content = {} }: Pick<Message, "content"> = {}) {
  const [first] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema, example }] = first;
  return { type, schema, json: exactJson(example) };
}

/** The first successful response with its status. */
export function successOf({ responses }: Operation): [status: string, response: Message | undefined] {
  return Object.entries(responses).find(([status]) => status.startsWith("2")) ?? ["", undefined];
}

/** JSON.stringify with support for bigints. */
export function exactJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(exactJson)}]`;
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`)}}`;
}
