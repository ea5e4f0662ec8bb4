import { STORAGE_PORTS, type Storage, type StorageContext } from "../application/ports/storage.js";
import { findAdapter, type KnownStorages } from "./known-storages.js";
import { hideInError, hideSecrets, maskUrl } from "./mask-url.js";

/** After how long the log says that a storage still opens, in milliseconds. */
const SLOW = 10_000;

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
  const slow = setTimeout(() => {
    context.log.warn(
      `the storage ${maskUrl(adapter, url)} has not opened for ${SLOW / 1000} s; still waiting for it`,
    );
  }, SLOW);
  try {
    if (!adapter) throw new Error("No storage has this scheme.");
    const storage: Partial<Storage> | undefined = await adapter.open(url, context);
    const [lacking] = lackingIn(storage);
    if (!lacking) return storage as Storage;
    throw new Error(
      `The storage ${maskUrl(adapter, url)} lacks ${lacking}(), which this petstore needs; install a version of it ` +
        "that fits, or ask those who made it.",
    );
  } catch (error) {
    const { cause, stack } = error instanceof Error ? error : new Error(String(error));
    const explained = new Error(explain(error, maskUrl(adapter, url)), { cause });
    hideInError(Object.assign(explained, { stack }), hideSecrets(adapter, url));
    throw explained;
  } finally {
    clearTimeout(slow);
  }
}

/** The operations that are missing in what an adapter gives: its own, and those of `pets` and each other port that it has. */
function lackingIn(given: Partial<Storage> | undefined): string[] {
  function lacking(owner: unknown, names: readonly string[]): string[] {
    return names.filter((name) => typeof Reflect.get(Object(owner), name) !== "function");
  }
  const ports = Object.entries(STORAGE_PORTS).flatMap(([name, operations]) => {
    const port = given?.[name as keyof Storage];
    if (port === undefined && name !== "pets") return [];
    return lacking(port, Object.keys(operations)).map((operation) => `${name}.${operation}`);
  });
  return [...ports, ...lacking(given, ["ping", "close"])];
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
