import { PET_ARCHIVE_OPERATIONS, type PetArchive } from "./pet-archive.js";
import { PET_OPERATIONS, type PetRepository } from "./pet-repository.js";

/**
 * The version of `StorageAdapter` that this program knows. It covers all that the package exports as
 * `petstore/storage`.
 *
 * An adapter with `api: 2` works, unchanged, with every petstore that knows api 2: all members stay, with their types
 * and the meaning in their comments.
 * - These may come without another number: an optional member of an adapter or a storage, such as the repository of
 *   another resource; a new member of what an adapter gets; a new export; and a new case of the contract for a rule that
 *   a comment has already.
 * - These changes make the number 3, and need a new major version of the package: a new member that an adapter must have, a
 *   member or an export that goes away, another type or meaning, and a new rule that a storage must keep.
 */
export const STORAGE_API = 2;

/**
 * A storage describes itself, so that no other code has to know it. A storage is one such object; the folder of each
 * built-in storage has it in `storage.ts`, and a module from outside has it as its default export.
 */
export interface StorageAdapter {
  /** The version of this interface; the start refuses another number. */
  readonly api: typeof STORAGE_API;
  /** URL schemes without the colon, e.g. `["acme"]`. The start refuses two adapters with one scheme. */
  readonly schemes: readonly string[];
  /** How its URLs are written, for messages and documentation, e.g. `acme:PATH`. */
  readonly form: string;
  /** Whether several processes may use one storage at once; if false, `serve --instance NAME` is refused. */
  readonly shared: boolean;
  /** Whether pets outlive the process. */
  readonly durable: boolean;
  /** The rule that a URL of these schemes breaks, as "must …"; undefined if it breaks none. Opens nothing. */
  check(url: string): string | undefined;
  /** The URL as logs and `petstore config` may show it. Without `mask` the service masks the password before `@`. */
  mask?(url: string): string;
  /**
   * Opens the storage. Resolves while a server is away; the storage then works once the server is there. Rejects with an
   * Error that says what to correct, if the storage can never work as it stands, or if it is not there and
   * `context.mayMake` is false.
   */
  open(url: string, context: StorageContext): Promise<Storage>;
}

/** An open storage: the ports that it implements, and its own life. */
export interface Storage {
  readonly pets: PetRepository;
  /** What `petstore copy` needs; left out if the storage cannot move its pets. */
  readonly archive?: PetArchive;
  /** What the storage holds that no archive moves, e.g. `orders`, so that `petstore copy` refuses it; undefined if nothing. */
  unarchived?(): Promise<string | undefined>;
  /**
   * Alike for two URLs of the same storage, and only for these; undefined if the storage cannot tell, or not yet: once
   * `ping` has resolved it can, or never. For `petstore copy`.
   */
  readonly identity?: string | undefined;
  /** Resolves if the storage can be used now; otherwise it rejects as any operation does. */
  ping(): Promise<void>;
  /** Finishes the operations that callers asked for before, then ends every use of the storage. To be called once. */
  close(): Promise<void>;
}

/** The ports that a storage may have, each with the table of its operations. */
export const STORAGE_PORTS = {
  pets: PET_OPERATIONS,
  archive: PET_ARCHIVE_OPERATIONS,
} as const satisfies Record<Exclude<keyof Storage, "unarchived" | "identity" | "ping" | "close">, object>;

/** The parts of the program that a storage gets. */
export interface StorageContext {
  readonly log: StorageLog;
  /** Adds a gauge or counter to /metrics, read at each scrape. */
  addReading(reading: StorageReading): void;
  /**
   * Whether a storage that is not there may be made, and its schema brought up to date. If it is false, opening writes
   * nothing at all.
   */
  readonly mayMake: boolean;
}

/** Structured log, with pino's call signature: `log.warn({ attempt }, "message")`. */
export interface StorageLog {
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

export interface LogCall {
  /** An error goes under `err`. */
  (fields: object, message?: string): void;
  (message: string): void;
}

export interface StorageReading {
  /** In the form of Prometheus, e.g. `petstore_acme_connections`. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** Of version 2.0.0, without effect since: each process has a `/metrics` of its own. */
  readonly together?: "sum" | "max";
  read(): number;
}

/** For a storage whose log and readings nobody reads. It may make the storage. */
export const SILENT_CONTEXT: StorageContext = {
  log: { debug() {}, info() {}, warn() {}, error() {} },
  addReading() {},
  mayMake: true,
};
