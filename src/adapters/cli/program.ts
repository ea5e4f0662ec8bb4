import type { KeyStore } from "../../application/ports/key-store.js";
import type { Storage, StorageAdapter, StorageContext } from "../../application/storage-adapter.js";

/** What the commands need from the program. Errors say what to correct; those about settings and URLs have `exitCode` 2. */
export interface Program {
  readonly version: string;
  /** Serves until a signal stops it. Resolves to the exit code. */
  serve(): Promise<number>;
  openKeyStore(): KeyStore;
  findStorage(url: string): Promise<StorageAdapter>;
  openStorage(url: string, context: StorageContext): Promise<Storage>;
  /** Returns a function that redacts texts which may repeat the URL. */
  redactUrl(url: string): (text: string) => string;
  /** `from` is the name that the operator gave, `module` its path; null if built in. */
  readonly storages: {
    readonly known: readonly { adapter: StorageAdapter; from: string; module: string | null }[];
    readonly faults: readonly string[];
  };
  /** Every setting, secrets masked, with the rule that it breaks. */
  describeSettings(): readonly SettingRow[];
  readonly exampleUrls: readonly [string, string];
}

interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly origin: "environment" | "default" | "unknown";
  readonly fault: string | null;
}
