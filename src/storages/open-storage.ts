import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../application/ports/storage-adapter.js";
import { SettingsError } from "../settings/settings-error.js";
import { faultOfStorage, findAdapter, type KnownStorages } from "../settings/storage-rules.js";

/**
 * The adapter that opens a URL.
 *
 * @throws SettingsError that says how a URL must be written, if no storage takes this one.
 */
export function findStorage(url: string, storages: KnownStorages): StorageAdapter {
  const fault = faultOfStorage(url, storages);
  const adapter = findAdapter(url, storages);
  if (fault || !adapter) throw new SettingsError(`The URL of a storage ${fault}`);
  return adapter;
}

/**
 * Opens any storage by its URL.
 *
 * @throws SettingsError as `findStorage` does; Error that says what to correct, if the storage can never be opened.
 */
export async function openStorage(
  url: string,
  storages: KnownStorages,
  context: StorageContext,
): Promise<PetRepository> {
  return findStorage(url, storages).open(url, context);
}
