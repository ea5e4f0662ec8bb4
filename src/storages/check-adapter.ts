import { STORAGE_API, type StorageAdapter } from "../application/ports/storage.js";

/** The other members that an adapter must have, by their types. */
const TYPES = { form: "string", shared: "boolean", durable: "boolean", check: "function", open: "function" };

/** RFC 3986, section 3.1, in lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

/**
 * Checks that a module exports a storage adapter, and returns the adapter.
 *
 * @throws Error whose message follows the name of the module, e.g. "has api 1, …".
 */
export function checkAdapter(exports: object): StorageAdapter {
  const { default: adapter } = exports as { default?: Record<string, unknown> };
  if (typeof adapter !== "object" || adapter === null)
    throw new Error("has no default export that is a StorageAdapter object; ask those who made it");
  const { api, schemes, mask } = adapter;
  if (api !== STORAGE_API) {
    const seen = JSON.stringify(api);
    throw new Error(
      `has api ${seen}, and this petstore knows api ${STORAGE_API}; install a version that fits`,
    );
  }
  const isScheme = (one: unknown) => typeof one === "string" && SCHEME.test(one);
  if (!Array.isArray(schemes) || schemes.length === 0 || !schemes.every(isScheme))
    throw new Error(
      "has malformed schemes; each must be lower-case letters, digits and + . - without the colon, e.g. acme",
    );
  for (const [name, type] of Object.entries(mask === undefined ? TYPES : { ...TYPES, mask: "function" }))
    if (typeof adapter[name] !== type)
      throw new Error(`has no ${name} of type ${type}, which a StorageAdapter needs; ask those who made it`);
  return adapter as unknown as StorageAdapter;
}
