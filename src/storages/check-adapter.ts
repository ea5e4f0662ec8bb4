import * as v from "valibot";
import { STORAGE_API, type StorageAdapter } from "./storage-adapter.js";

const needs = (name: string, type: string) =>
  `has no ${name} of type ${type}, which a StorageAdapter needs; ask those who made it`;

const NO_OBJECT = "has no default export that is a StorageAdapter object; ask those who made it";

const SCHEMES = v.pipe(
  v.array(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9+.-]*$/))), // RFC 3986, section 3.1, in lower case
  v.minLength(1),
);

/** Its first fault is the one that counts. */
const ADAPTER = v.object(
  {
    api: v.literal(STORAGE_API, ({ input }) => {
      const seen = JSON.stringify(input);
      return `has api ${seen}, and this petstore knows api ${STORAGE_API}; install a version that fits`;
    }),
    schemes: v.custom(
      (schemes) => v.is(SCHEMES, schemes),
      "has malformed schemes; each must be lower-case letters, digits and + . - without the colon, e.g. acme",
    ),
    form: v.string(needs("form", "string")),
    shared: v.boolean(needs("shared", "boolean")),
    durable: v.boolean(needs("durable", "boolean")),
    check: v.function(needs("check", "function")),
    open: v.function(needs("open", "function")),
    mask: v.optional(v.function(needs("mask", "function"))),
  },
  NO_OBJECT,
);

/**
 * Checks that a module exports a storage adapter, and returns the adapter.
 *
 * @throws Error whose message follows the name of the module, e.g. "has api 1, …".
 */
export function checkAdapter(exports: object): StorageAdapter {
  const { default: adapter } = exports as { default?: unknown };
  const { issues } = v.safeParse(ADAPTER, adapter, { abortEarly: true });
  if (issues) throw new Error(issues[0].message);
  return adapter as StorageAdapter;
}
