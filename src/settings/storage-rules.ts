import * as v from "valibot";
import { hideSecrets, maskUrl } from "../storages/mask-url.js";
import type { StorageAdapter } from "../storages/storage-adapter.js";

/** The storages among which the settings choose. */
export interface KnownStorages {
  readonly adapters: readonly StorageAdapter[];
  /** The URL of the storage if `PETSTORE_STORAGE` is not set; `built-in.ts` has it. */
  readonly defaultUrl: string;
  /** The faults of `PETSTORE_STORAGE_ADAPTERS`: one for each module whose storage is no adapter here. */
  readonly faults: readonly string[];
}

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

/** The adapter of a URL's scheme, even if the rest of the URL is faulty. */
export function findAdapter(url: string, { adapters }: KnownStorages): StorageAdapter | undefined {
  const scheme = url.slice(0, Math.max(0, url.indexOf(":")));
  return adapters.find(({ schemes }) => schemes.includes(scheme));
}

/** The rule that a URL breaks, as "must …"; undefined if it breaks none. */
export function faultOfStorage(url: string, storages: KnownStorages): string | undefined {
  const adapter = findAdapter(url, storages);
  if (!adapter) return `must be ${formsOf(storages.adapters)}, e.g. ${storages.defaultUrl}`;
  try {
    const fault = adapter.check(url);
    return fault && !fault.includes("e.g.") ? `${fault}, e.g. ${adapter.form}` : fault;
  } catch {
    // An adapter from outside may throw, perhaps an error that repeats the URL with its password.
    return `is refused by its adapter, which fails to say why, e.g. ${adapter.form}`;
  }
}

/** The URL as logs and people may see it. */
export function maskStorage(url: string, storages: KnownStorages): string {
  return maskUrl(findAdapter(url, storages), url);
}

/** Hides the secrets of a URL in what logs and people see. */
export function hideSecretsOf(url: string, storages: KnownStorages): (text: string) => string {
  const shown = maskStorage(url, storages);
  return (text) => hideSecrets(text, url, shown);
}

/** Whether so many workers can use the storage of this URL. */
export function canShare(url: string, workers: number, storages: KnownStorages): boolean {
  return workers === 1 || findAdapter(url, storages)?.shared !== false;
}

/** The rule for `PETSTORE_WORKERS` on a storage that several processes cannot share. */
export function oneWorkerRule(url: string, storages: KnownStorages): string {
  const form = findAdapter(url, storages)?.form;
  const shared = formsOf(storages.adapters.filter((adapter) => adapter.shared));
  return `must be 1 if PETSTORE_STORAGE is ${form}, which several processes cannot share; they can share ${shared}, e.g. 1`;
}

/** The forms of URLs, e.g. "one:, two:PATH or three://HOST". */
function formsOf(adapters: readonly StorageAdapter[]): string {
  const forms = adapters.map(({ form }) => form);
  return [forms.slice(0, -1).join(", "), forms.at(-1)].filter(Boolean).join(" or ");
}
