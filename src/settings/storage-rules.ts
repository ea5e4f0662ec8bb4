import * as v from "valibot";
import type { StorageAdapter } from "../application/ports/storage.js";
import { faultOfStorage, findAdapter, formsOf, type KnownStorages } from "../storages/known-storages.js";
import { faultySettings, SettingsError } from "./settings-error.js";

/** The setting that holds the URL of a storage. */
export const storage = (storages: KnownStorages) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        // If a module has a fault, another setting reports it. The fault may be why no adapter has the
        // scheme.
        (url) =>
          (storages.faults.length > 0 && !findAdapter(url, storages)) || !faultOfStorage(url, storages),
        ({ input }) => String(faultOfStorage(input, storages)),
      ),
    ),
    storages.defaultUrl,
  );

/** The setting that names the modules of storages from outside. Loading them has found its faults. */
export const storageModules = ({ faults }: KnownStorages) =>
  v.optional(
    v.pipe(
      v.string(),
      v.rawCheck(({ addIssue }) => {
        for (const message of faults) addIssue({ message });
      }),
    ),
  );

/** @throws SettingsError if an instance, which is one of several processes, cannot share the storage of this URL */
export function refuseUnshared(instance: string, url: string, storages: KnownStorages): void {
  const adapter = findAdapter(url, storages);
  if (adapter?.shared !== false) return;
  const shared = formsOf(storages.adapters.filter((one) => one.shared));
  throw new SettingsError(
    `The instance ${instance} cannot use ${adapter.form}, which several processes cannot share; ` +
      `leave --instance out, or set PETSTORE_STORAGE to ${shared}.`,
  );
}

/**
 * The adapter that opens a URL of the command line.
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
