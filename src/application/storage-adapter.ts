import type { Log } from "./ports/log.js";
import type { Reading } from "./ports/metrics.js";
import type { PetArchive } from "./ports/pet-archive.js";
import type { PetRepository } from "./ports/pet-repository.js";

/**
 * The version of all exports of `petstore/storage`. An adapter with `api: 2` works unchanged with every
 * petstore that supports api 2. New optional members, exports, and cases for a documented rule keep the
 * number; a change that adapters must follow makes it 3.
 */
export const STORAGE_API = 2;

/** A kind of storage: the default export of its module. */
export interface StorageAdapter {
  /** Any other number is rejected at startup. */
  readonly api: typeof STORAGE_API;
  /** URL schemes without the colon, e.g. `["acme"]`; each may belong to one adapter only. */
  readonly schemes: readonly string[];
  /** The form of its URLs, for messages and documentation, e.g. `acme:PATH`. */
  readonly form: string;
  /** Whether several processes may use one storage at once: a claim, which `petstore storages` shows. */
  readonly shared: boolean;
  /** Whether pets outlive the process. */
  readonly durable: boolean;
  /** Returns the rule that a URL breaks, as "must …"; undefined if it is valid. Opens nothing. */
  check(url: string): string | undefined;
  /** Masks the secrets of a URL for logs and `petstore config`; `maskPassword` by default. */
  mask?(url: string): string;
  /**
   * Resolves even while the server is down; the storage works once it is back. Rejects with an Error that
   * says what to correct if the storage can never work as it stands, or is missing and `mayMake` is false.
   */
  open(url: string, context: StorageContext): Promise<Storage>;
}

export interface Storage {
  readonly pets: PetRepository;
  /** Optional; `petstore copy` needs it. */
  readonly archive?: PetArchive;
  /** @deprecated Ignored since 4.0.0. */
  unarchived?(): Promise<string | undefined>;
  /** @deprecated Ignored since 4.0.0. */
  readonly identity?: string | undefined;
  /** Resolves if the storage works now; otherwise rejects as any operation does. */
  ping(): Promise<void>;
  /** Finishes the operations in flight, then releases every resource. Called once. */
  close(): Promise<void>;
}

export interface StorageContext {
  readonly log: StorageLog;
  /** Adds a gauge or counter to /metrics, read at each scrape. */
  addReading(reading: StorageReading): void;
  /** Whether to create a missing storage and update an old schema. If false, opening writes nothing. */
  readonly mayMake: boolean;
}

export type StorageLog = Log;

export interface StorageReading extends Reading {
  /** @deprecated Ignored since 3.0.0. */
  readonly together?: "sum" | "max";
}

/** A context without log and metrics, for tests and commands. Creates a missing storage. */
export const SILENT_CONTEXT: StorageContext = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  addReading() {},
  mayMake: true,
};

/**
 * Masks the password in the authority (RFC 3986, section 3.2.1) of each URL in a text. A driver's message may
 * be long, so the time is linear in its length.
 */
export function maskPassword(text: string): string {
  if (!text.includes("://")) return text;
  return text.replace(/\S+/g, (word) => {
    const end = word.lastIndexOf("@");
    const user = /:\/\/[^:/?#]*:/.exec(word.slice(0, Math.max(0, end)));
    return user ? `${word.slice(0, user.index)}${user[0]}***${word.slice(end)}` : word;
  });
}
