type Named<Item> = Readonly<Record<string, Item>>;

/** The parts of the API document that the page shows, with every `$ref` resolved. */
export interface Api {
  readonly info: Named<string>;
  readonly operations: readonly Operation[];
  readonly schemas: Named<Schema>;
}

export interface Operation {
  readonly operationId: string;
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
  readonly responses: Named<Message>;
}

/** A parameter, a response header, or a member of an object. */
export interface Field {
  readonly name: string;
  readonly in?: string;
  readonly description?: string | undefined;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: string | bigint;
}

/** The body of a request, or a response. */
export interface Message {
  readonly description: string;
  readonly headers?: Named<Omit<Field, "name">>;
  readonly content?: Named<{ readonly schema: Schema; readonly example?: unknown }>;
}

type Bound = "minimum" | "maximum" | "minLength" | "maxLength" | "maxItems";

export interface Schema extends Partial<Readonly<Record<Bound, bigint>>> {
  /** The name of the component that a `$ref` led to. */
  readonly component?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: string | bigint;
  readonly examples?: readonly string[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Named<Schema>;
  readonly "x-enum"?: Named<{ readonly status: bigint; readonly advice: string }>;
}

/** Reads a parsed OpenAPI document whose integers are bigints. */
export function readApi(document: unknown): Api {
  const { info, servers, paths, components } = resolve(document, document) as Pick<Api, "info"> & {
    readonly servers: readonly [{ readonly url: string }];
    readonly paths: Named<Named<Operation>>;
    readonly components: Pick<Api, "schemas">;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { ...operation, method: method.toUpperCase(), path: servers[0].url + path };
    }),
  );
  return { info, operations, schemas: components.schemas };
}

/** Replaces each `$ref` with its target; members beside it take precedence. */
function resolve(part: unknown, document: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => resolve(item, document));
  if (typeof part !== "object" || part === null) return part;
  const resolved = Object.entries(part).map(([name, member]) => [name, resolve(member, document)]);
  const { $ref, ...members } = Object.fromEntries(resolved);
  if ($ref === undefined) return members;
  const path: string[] = $ref.slice("#/".length).split("/");
  const target = path.reduce((node, name) => Object(node)[name], document);
  return { ...Object(resolve(target, document)), component: path.at(-1), ...members };
}

/** JSON.stringify with support for bigints. */
export function exactJson(value: unknown, indent?: number): string {
  const mark = (_: string, part: unknown) => (typeof part === "bigint" ? `\0${part}` : part);
  return JSON.stringify(value, mark, indent).replace(/"\\u0000(-?\d+)"/g, "$1");
}
