import { STORAGE_API, type StorageAdapter } from "../application/ports/storage-adapter.js";

/** A scheme by RFC 3986, section 3.1, in lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

const MEMBERS = {
  form: ["string"],
  shared: ["boolean"],
  durable: ["boolean"],
  check: ["function"],
  open: ["function"],
  mask: ["function", "undefined"],
  look: ["function", "undefined"],
} as const satisfies Partial<Record<keyof StorageAdapter, readonly string[]>>;

/**
 * Checks that a module exports a storage adapter, and returns the adapter.
 *
 * @throws Error whose message follows the name of the module, e.g. "has api 2, …".
 */
export function checkAdapter(exports: object): StorageAdapter {
  const { default: candidate } = exports as { default?: unknown };
  if (candidate === undefined) throw new Error("has no default export; it must be a StorageAdapter object");
  if (typeof candidate !== "object" || candidate === null) {
    const what = candidate === null ? "null" : typeof candidate;
    throw new Error(`has a default export of type ${what}; it must be a StorageAdapter object`);
  }
  const adapter = candidate as Record<keyof StorageAdapter, unknown>;
  if (adapter.api !== STORAGE_API) throw new Error(otherApi(adapter.api));
  const { schemes } = adapter;
  if (!Array.isArray(schemes) || schemes.length === 0 || !schemes.every(isScheme)) {
    throw new Error(
      "has malformed schemes; each must be lower-case letters, digits and + . - without the colon, e.g. acme",
    );
  }
  for (const [name, types] of Object.entries(MEMBERS)) {
    const type = typeof adapter[name as keyof StorageAdapter];
    if (!(types as readonly string[]).includes(type)) {
      throw new Error(
        `has no ${name} of type ${types[0]}, which a StorageAdapter needs; ask those who made it`,
      );
    }
  }
  return candidate as StorageAdapter;
}

function isScheme(scheme: unknown): boolean {
  return typeof scheme === "string" && SCHEME.test(scheme);
}

function otherApi(api: unknown): string {
  if (typeof api !== "number") return `has no api number; it must be ${STORAGE_API}`;
  return (
    `has api ${api}, and this petstore knows api ${STORAGE_API}; ` +
    `install a version of it for api ${STORAGE_API}, or a petstore for api ${api}`
  );
}
