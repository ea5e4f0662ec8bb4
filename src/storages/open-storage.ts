import type { PetRepository } from "../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../application/ports/storage-adapter.js";
import { faultySettings, SettingsError } from "../settings/settings-error.js";
import { faultOfStorage, findAdapter, type KnownStorages, maskStorage } from "../settings/storage-rules.js";
import { hideSecrets } from "./hide-secrets.js";
import { sayIfExits } from "./say-if-exits.js";
import { sayIfSlow } from "./say-if-slow.js";

/**
 * Finds the adapter that opens a URL.
 *
 * @throws SettingsError that says how a URL must be written, if no storage takes this one.
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
 * Opens any storage by its URL. No error of its adapter or of its operations shows a secret of the URL.
 *
 * @throws SettingsError as `findStorage` does; Error that says what to correct, if the storage can never be used.
 */
export async function openStorage(
  url: string,
  storages: KnownStorages,
  context: StorageContext,
): Promise<PetRepository> {
  const adapter = findStorage(url, storages);
  const shown = maskStorage(url, storages);
  const hide = (error: unknown) => hideSecrets(error, url, shown);
  const repository = await sayIfExits(
    `The storage ${shown} cannot be used: its adapter ends the program as it opens; correct the adapter.`,
    // An adapter may also throw before it gives a promise.
    () => sayIfSlow(`the storage ${shown} to open`, (async () => adapter.open(url, context))()),
  ).catch((error: unknown) => {
    throw explained(hide(error), shown);
  });
  const missing = METHODS.filter((name) => typeof repository?.[name] !== "function");
  if (missing.length === 0) return shown === url ? repository : withoutSecrets(repository, hide);
  // The repository may hold something open, which must not keep the program from ending.
  if (!missing.includes("close")) await repository.close().catch(() => undefined);
  throw new SettingsError(
    `The storage ${shown} cannot be used: its adapter opened a repository without ${missing.join(", ")}; ` +
      "correct the adapter, or leave it out of PETSTORE_STORAGE_ADAPTERS",
  );
}

const METHODS = ["create", "get", "list", "ping", "close"] as const satisfies (keyof PetRepository)[];

/** The same storage, with `hide` around every error of its operations: callers log errors, and show them to people. */
function withoutSecrets(repository: PetRepository, hide: (error: unknown) => unknown): PetRepository {
  // The proxy stands before an empty object: one before a frozen repository would have to give its very functions.
  return new Proxy({} as PetRepository, {
    get(_target, name) {
      const member: unknown = Reflect.get(repository, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]) => {
        try {
          return await member.apply(repository, given);
        } catch (error) {
          throw hide(error);
        }
      };
    },
  });
}

/** Explains an error of a driver without its stack. Errors of JavaScript, which mean a bug, keep theirs. */
function explained(error: unknown, storage: string): unknown {
  const isMistake = [TypeError, ReferenceError, RangeError, SyntaxError].some(
    (kind) => error instanceof kind,
  );
  if (isMistake || (error instanceof Error && [Error, SettingsError].includes(error.constructor as never)))
    return error;
  const reason = error instanceof Error ? error.message : "it gives no reason";
  return new Error(`The storage ${storage} cannot be opened: ${reason}`, { cause: error });
}
