import { findAdapter, hideSecretsOf, type KnownStorages, maskStorage } from "./known-storages.js";
import type { Storage, StorageContext } from "./storage-adapter.js";

/**
 * Opens any storage by its URL.
 *
 * @throws Error that says what to correct and shows no password, if the storage can never be used
 */
export async function openStorage(
  url: string,
  storages: KnownStorages,
  context: StorageContext,
): Promise<Storage> {
  const hide = hideSecretsOf(url, storages);
  try {
    const adapter = findAdapter(url, storages);
    if (!adapter) throw new Error("No storage has this scheme.");
    return await adapter.open(url, context);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new Error(
      hide(explain(error, maskStorage(url, storages))),
      cause instanceof Error ? { cause: new Error(hide(cause.message)) } : undefined,
    );
  }
}

/** The author of a storage words its own errors. Those of a driver or of JavaScript do not say what they are about. */
function explain(error: unknown, storage: string): string {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof Error && error.constructor === Error) return message;
  const isMistake = [TypeError, ReferenceError, RangeError, SyntaxError].some(
    (kind) => error instanceof kind,
  );
  return `The storage ${storage} cannot be opened: ${isMistake ? stack : message}`;
}
