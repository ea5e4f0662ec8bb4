import type { KeyStore } from "../../application/ports/key-store.js";
import type { Storage, StorageAdapter, StorageContext } from "../../application/ports/storage.js";

/** The functions of the program that the commands need. A command calls only those that it needs. */
export interface Program {
  readonly version: string;
  /**
   * Serves until a signal ends it; false if it had to cut requests in flight.
   *
   * @param instance the name of this process among several; undefined if it is the only one
   */
  serve(instance?: string): Promise<boolean>;
  /** @throws Error if the settings are faulty. */
  openKeyStore(): Promise<KeyStore>;
  /** The form of a key's name. */
  readonly keyName: RegExp;
  /**
   * The storage that opens a URL, built in or from outside.
   *
   * @throws Error that says how a URL must be written, if no storage takes this one; the exit code is then 2.
   */
  findStorage(url: string): Promise<StorageAdapter>;
  /** @throws Error as `findStorage` does, or if the storage can never be opened as it stands. */
  openStorage(url: string, context: StorageContext): Promise<Storage>;
  knownStorages(): Promise<{ describe(): readonly StorageRow[]; readonly faults: readonly string[] }>;
  /** Two URLs for examples: one to copy from and one to copy to. */
  readonly exampleUrls: readonly [string, string];
  describeSettings(): Promise<readonly SettingRow[]>;
  /** `http://HOST:PORT` of the admin port. @throws Error if the settings are faulty. */
  adminAddress(): Promise<string>;
}

/** A storage that an operator can choose. */
interface StorageRow extends Pick<StorageAdapter, "schemes" | "form" | "shared" | "durable"> {
  /** The package or path that the operator has named, or "built in". */
  readonly from: string;
  /** The path of its module; null if it is built in. */
  readonly module: string | null;
}

/** A setting; `describe-settings.ts` has masked the secrets in its value. */
interface SettingRow {
  readonly name: string;
  /** Null if it is not set. */
  readonly value: string | null;
  readonly origin: "environment" | "default";
  /** The rule that it breaks; null if it breaks none. */
  readonly fault: string | null;
}
