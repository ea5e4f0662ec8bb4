import type { KeyStore } from "../../application/ports/key-store.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageContext } from "../../application/ports/storage-adapter.js";
import type { SettingRow } from "./config.js";
import type { StorageRow } from "./storages.js";

/** The functions of the program by which commands find and open storages. */
export interface Storages {
  /**
   * The storage that opens a URL, built in or from outside.
   *
   * @throws Error that says how a URL must be written, if no storage takes this one; the exit code is then 2.
   */
  findStorage(url: string): Promise<StorageAdapter>;
  /** @throws Error as `findStorage` does, or if the storage can never be opened as it stands. */
  openStorage(url: string, context: StorageContext): Promise<PetRepository>;
}

/** The functions of the program that the commands need. A command calls only those that it needs. */
export interface Program extends Storages {
  readonly version: string;
  /** Serves until a signal ends it; false if it had to cut requests in flight. */
  serve(): Promise<boolean>;
  /** @throws Error if the settings are faulty. */
  openKeyStore(): Promise<KeyStore>;
  knownStorages(): Promise<{ describe(): readonly StorageRow[]; readonly faults: readonly string[] }>;
  /** Two URLs for examples: one to copy from and one to copy to. */
  exampleUrls(): Promise<readonly [string, string]>;
  describeSettings(): Promise<readonly SettingRow[]>;
  /** `http://HOST:PORT` of the admin port. @throws Error if the settings are faulty. */
  adminAddress(): Promise<string>;
}
