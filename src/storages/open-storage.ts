import { faultySettings, SettingsError } from "../settings/settings-error.js";
import {
  faultOfStorage,
  findAdapter,
  hideSecretsOf,
  type KnownStorages,
  maskStorage,
} from "../settings/storage-rules.js";
import type { Storage, StorageAdapter, StorageContext } from "./storage-adapter.js";

/**
 * Finds the adapter that opens a URL.
 *
 * @throws SettingsError that says how a URL must be written, if no storage takes this one
 */
export function findStorage(url: string, storages: KnownStorages): StorageAdapter {
  if (storages.faults.length > 0) {
    throw faultySettings(storages.faults.map((fault) => `PETSTORE_STORAGE_ADAPTERS ${fault}`));
  }
  const fault = faultOfStorage(url, storages);
  const adapter = findAdapter(url, storages);
  if (fault || !adapter) throw new SettingsError(`The URL of a storage ${fault}`);
  return adapter;
}

/**
 * Opens any storage by its URL.
 *
 * @throws SettingsError as `findStorage` does; Error that says what to correct and shows no password, if the storage can
 * never be used
 */
export async function openStorage(
  url: string,
  storages: KnownStorages,
  context: StorageContext,
): Promise<Storage> {
  const adapter = findStorage(url, storages);
  const hide = hideSecretsOf(url, storages);
  try {
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
