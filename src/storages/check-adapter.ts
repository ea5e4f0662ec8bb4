import { STORAGE_API, type StorageAdapter } from "./storage-adapter.js";

/** A scheme by RFC 3986, section 3.1, in lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

const MEMBERS = {
  form: ["string"],
  shared: ["boolean"],
  durable: ["boolean"],
  check: ["function"],
  open: ["function"],
  mask: ["function", "undefined"],
} as const satisfies Partial<Record<keyof StorageAdapter, readonly string[]>>;

/** The changes that make an adapter of version 1 one of version 2. */
const FROM_1 =
  ": let its open give { pets, ping, close }, with the PetArchive as archive, and create answer earlierFingerprint in " +
  "place of replayed; or install its newer version";

/**
 * Checks that a module exports a storage adapter, and returns the adapter.
 *
 * @throws Error whose message follows the name of the module, e.g. "has api 1, …".
 */
export function checkAdapter(exports: object): StorageAdapter {
  const { default: adapter } = exports as { default?: Record<string, unknown> | null };
  if (typeof adapter !== "object" || adapter === null) {
    throw new Error("has no default export that is a StorageAdapter object; ask those who made it");
  }
  if (adapter.api !== STORAGE_API) {
    const remedy = adapter.api === 1 ? FROM_1 : "; install a version that fits";
    throw new Error(
      `has api ${JSON.stringify(adapter.api)}, and this petstore knows api ${STORAGE_API}${remedy}`,
    );
  }
  const { schemes } = adapter;
  if (!Array.isArray(schemes) || schemes.length === 0 || !schemes.every((scheme) => SCHEME.test(scheme))) {
    throw new Error(
      "has malformed schemes; each must be lower-case letters, digits and + . - without the colon, e.g. acme",
    );
  }
  for (const [name, types] of Object.entries(MEMBERS)) {
    if ((types as readonly string[]).includes(typeof adapter[name])) continue;
    throw new Error(
      `has no ${name} of type ${types[0]}, which a StorageAdapter needs; ask those who made it`,
    );
  }
  return adapter as unknown as StorageAdapter;
}
