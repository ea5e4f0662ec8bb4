import type { StorageAdapter } from "../application/ports/storage.js";

/** The storages among which the settings choose. */
export interface KnownStorages {
  readonly adapters: readonly StorageAdapter[];
  /** The URL of the storage if `PETSTORE_STORAGE` is not set; `built-in.ts` has it. */
  readonly defaultUrl: string;
  /** The faults of `PETSTORE_STORAGE_ADAPTERS`: one for each module whose storage is no adapter here. */
  readonly faults: readonly string[];
}

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

/** The forms of URLs, e.g. "one:, two:PATH or three://HOST". */
export function formsOf(adapters: readonly StorageAdapter[]): string {
  const forms = adapters.map(({ form }) => form);
  return [forms.slice(0, -1).join(", "), forms.at(-1)].filter(Boolean).join(" or ");
}
