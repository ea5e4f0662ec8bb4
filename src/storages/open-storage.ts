import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../application/ports/storage-adapter.js";
import { faultySettings, SettingsError } from "../settings/settings-error.js";
import {
  faultOfStorage,
  findAdapter,
  hideSecretsOf,
  type KnownStorages,
  maskStorage,
} from "../settings/storage-rules.js";

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
): Promise<PetRepository> {
  const adapter = findStorage(url, storages);
  try {
    return await adapter.open(url, context);
  } catch (error) {
    throw explained(error, maskStorage(url, storages), hideSecretsOf(url, storages));
  }
}

/** The author of a storage words its own errors. Those of a driver or of JavaScript do not say what they are about. */
function explained(error: unknown, storage: string, hide: (text: string) => string): Error {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const options = cause instanceof Error ? { cause: new Error(hide(cause.message)) } : undefined;
  if (error instanceof SettingsError) return new SettingsError(hide(message), options);
  if (error instanceof Error && error.constructor === Error) return new Error(hide(message), options);
  const isMistake = [TypeError, ReferenceError, RangeError, SyntaxError].some(
    (kind) => error instanceof kind,
  );
  return new Error(
    `The storage ${storage} cannot be opened: ${hide((isMistake && stack) || message)}`,
    options,
  );
}
