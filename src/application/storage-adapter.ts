import type { Log } from "./ports/log.js";
import type { Reading } from "./ports/metrics.js";
import type { PetArchive } from "./ports/pet-archive.js";
import type { PetRepository } from "./ports/pet-repository.js";

/**
 * The version of everything that the package exports as `petstore/storage`. An adapter with `api: 2` works unchanged with
 * every petstore that supports api 2. New optional members, new exports, and new cases for a rule that a comment already
 * states keep the number; whatever an adapter must adapt to makes it 3.
 */
export const STORAGE_API = 2;

/** A kind of storage: one such object is the default export of its module. */
export interface StorageAdapter {
  /** Any other number is rejected at startup. */
  readonly api: typeof STORAGE_API;
  /** URL schemes without the colon, e.g. `["acme"]`. Two adapters with the same scheme are rejected at startup. */
  readonly schemes: readonly string[];
  /** The form of its URLs, for messages and documentation, e.g. `acme:PATH`. */
  readonly form: string;
  /** Whether several processes may use one storage at once. Shown by `petstore storages`; the service does not check it. */
  readonly shared: boolean;
  /** Whether pets outlive the process. */
  readonly durable: boolean;
  /** What is wrong with a URL of these schemes, as "must …"; undefined if nothing is. Opens nothing. */
  check(url: string): string | undefined;
  /** The URL as logs and `petstore config` may show it. If left out, the password in the authority is masked. */
  mask?(url: string): string;
  /**
   * Opens the storage. Resolves even while its server is down; the storage then works once the server is back. Rejects with
   * an Error that says what to correct, if the storage can never work as it stands, or if it does not exist and
   * `context.mayMake` is false.
   */
  open(url: string, context: StorageContext): Promise<Storage>;
}

/** An open storage: the ports that it implements, and its lifecycle. */
export interface Storage {
  readonly pets: PetRepository;
  /** Required by `petstore copy`; optional. */
  readonly archive?: PetArchive;
  /** @deprecated Ignored since 4.0.0. */
  unarchived?(): Promise<string | undefined>;
  /** @deprecated Ignored since 4.0.0. */
  readonly identity?: string | undefined;
  /** Resolves if the storage can be used now; otherwise it rejects as any operation does. */
  ping(): Promise<void>;
  /** Finishes the operations in flight, then releases every resource. Called once. */
  close(): Promise<void>;
}

/** What the program passes to a storage. */
export interface StorageContext {
  readonly log: StorageLog;
  /** Adds a gauge or counter to /metrics, read at each scrape. */
  addReading(reading: StorageReading): void;
  /** Whether to create a missing storage, and to update an old schema. If false, opening writes nothing at all. */
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
 * Masks the password in the authority (RFC 3986, section 3.2.1) of a URL, or of each URL in a text. The time is linear in the
 * length, since a driver's message may be long.
 */
export function maskPassword(text: string): string {
  if (!text.includes("://")) return text;
  return text.replace(/\S+/g, (word) => {
    const end = word.lastIndexOf("@");
    const user = /:\/\/[^:/?#]*:/.exec(word.slice(0, Math.max(0, end)));
    return user ? `${word.slice(0, user.index)}${user[0]}***${word.slice(end)}` : word;
  });
}
