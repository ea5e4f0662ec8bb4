import { findAdapter, type KnownStorages } from "./known-storages.js";
import { hideInError, hideSecrets, maskUrl } from "./mask-url.js";
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
  const adapter = findAdapter(url, storages);
  try {
    if (!adapter) throw new Error("No storage has this scheme.");
    const storage: Partial<Storage> | undefined = await adapter.open(url, context);
    if (!isStorage(storage)) {
      throw new Error(
        `The storage ${maskUrl(adapter, url)} gives no { pets, ping, close } when it opens; ask those who made it.`,
      );
    }
    return storage;
  } catch (error) {
    const { cause, stack } = error instanceof Error ? error : new Error(String(error));
    const explained = new Error(explain(error, maskUrl(adapter, url)), { cause });
    hideInError(Object.assign(explained, { stack }), hideSecrets(adapter, url));
    throw explained;
  }
}

/** Whether what an adapter from outside gives has the members that no storage lacks. */
function isStorage(given: Partial<Storage> | undefined): given is Storage {
  return (
    typeof given?.pets === "object" && typeof given.ping === "function" && typeof given.close === "function"
  );
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
