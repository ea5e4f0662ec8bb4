import type { KeyStore } from "../application/ports/key-store.js";
import type { Storage, StorageAdapter, StorageContext } from "../application/storage-adapter.js";

/** What the commands need from the program. Errors say what to correct, perhaps with an `exitCode`. */
export interface Program {
  readonly version: string;
  /** Serves until a signal stops it. Resolves to the exit code. */
  serve(): Promise<number>;
  openKeyStore(): Promise<KeyStore>;
  loadStorages(): Promise<Storages>;
  /** Every setting, secrets masked, with the rule that it breaks. */
  describeSettings(): Promise<readonly SettingRow[]>;
}

/** What `storages.ts` offers. */
export interface Storages {
  /** `from` is the name that the operator gave, `module` its path; null if built in. */
  readonly list: readonly { adapter: StorageAdapter; from: string; module: string | null }[];
  readonly faults: readonly string[];
  find(url: string): StorageAdapter;
  redact(url: string): (text: string) => string;
  open(url: string, context: StorageContext): Promise<Storage>;
}

interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly origin: string;
  fault: string | null;
}
