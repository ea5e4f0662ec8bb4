import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import memory from "./adapters/memory/memory-adapter.js";
import mongodb from "./adapters/mongodb/mongodb-adapter.js";
import sqlite from "./adapters/sqlite/sqlite-adapter.js";
import {
  maskPassword,
  STORAGE_API,
  type Storage,
  type StorageAdapter,
  type StorageContext,
  type StorageReading,
} from "./application/storage-adapter.js";
import { DEFAULT_STORAGE, type Fault, UsageError } from "./settings.js";

/** A kind of storage that `PETSTORE_STORAGE` can name. */
export interface Entry {
  readonly adapter: StorageAdapter;
  /** The package or path that the operator named, or "built in". */
  readonly from: string;
  /** The path of its module; null if it is built in. */
  readonly module: string | null;
}

const BUILT_IN = [memory, sqlite, mongodb].map(
  (adapter): Entry => ({ adapter, from: "built in", module: null }),
);

export class Storages {
  /** @param faults the modules that failed to load, each as "names MODULE, which …" */
  constructor(
    readonly list: readonly Entry[],
    readonly faults: readonly string[],
  ) {}

  /** Loads the modules that `PETSTORE_STORAGE_ADAPTERS` names. A failure becomes one of the `faults`. */
  static async load({ PETSTORE_STORAGE_ADAPTERS: modules }: NodeJS.ProcessEnv): Promise<Storages> {
    const list = [...BUILT_IN];
    const faults: string[] = [];
    for (const name of modules?.split(",").map((name) => name.trim()) ?? []) {
      try {
        list.push(await loadModule(name, list));
      } catch (error) {
        faults.push(`names ${name}, which ${error instanceof Error ? error.message : error}`);
      }
    }
    return new Storages(list, faults);
  }

  /** Checks the two settings of the storages. */
  faultsOf({ PETSTORE_STORAGE: url = DEFAULT_STORAGE }: NodeJS.ProcessEnv): Fault[] {
    const faults = this.faults.map((fault) => ({ name: "PETSTORE_STORAGE_ADAPTERS", fault }));
    const fault = this.check(url);
    return fault ? [...faults, { name: "PETSTORE_STORAGE", fault }] : faults;
  }

  /** @throws UsageError if no adapter owns the scheme of the URL, or its adapter rejects the URL */
  find(url: string): StorageAdapter {
    if (this.faults.length > 0) throw new UsageError(`PETSTORE_STORAGE_ADAPTERS ${this.faults.join("; ")}`);
    const fault = this.check(url);
    const adapter = this.adapterOf(url);
    if (fault || !adapter) throw new UsageError(`The URL of a storage ${fault}`);
    return adapter;
  }

  /** Returns the rule that a URL breaks, as "must …, e.g. …"; undefined if it is valid. */
  check(url: string): string | undefined {
    const adapter = this.adapterOf(url);
    // The scheme may belong to a module that failed to load, which is a fault of its own.
    if (!adapter && this.faults.length > 0) return undefined;
    const forms = this.list.map(({ adapter }) => adapter.form).join(", ");
    if (!adapter) return `must be one of ${forms}, e.g. ${DEFAULT_STORAGE}`;
    try {
      const fault = adapter.check(url);
      return fault && !fault.includes("e.g.") ? `${fault}, e.g. ${adapter.form}` : fault;
    } catch {
      return "cannot be checked: check() threw, a bug in the storage";
    }
  }

  mask(url: string): string {
    return this.adapterOf(url)?.mask?.(url) ?? maskPassword(url);
  }

  /** Returns a function that masks secrets in texts that may repeat the URL, such as a driver's errors. */
  redact(url: string): (text: string) => string {
    const masked = this.mask(url);
    return (text) => maskPassword(text.replaceAll(url, masked));
  }

  /** @throws Error that says what to correct, without secrets, if the storage can never be used */
  async open(url: string, context: StorageContext): Promise<Storage> {
    const adapter = this.find(url);
    const addReading = (reading: StorageReading) => {
      try {
        context.addReading(reading);
      } catch (error) {
        const reason = `adds the metric ${reading.name}: ${(error as Error).message}`;
        throw new UsageError(`The storage ${this.mask(url)} ${reason}`);
      }
    };
    try {
      const storage = await adapter.open(url, { ...context, addReading });
      if (!storage?.pets) throw new Error("open() resolved to something without pets: a bug in the storage.");
      return storage;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const reason = this.redact(url)(error instanceof Error ? error.message : String(error));
      if (isForAnotherMachine(error)) {
        const [cause] = reason.split("\n");
        throw new UsageError(`The storage ${this.mask(url)} cannot run on this machine: ${cause}`);
      }
      // A storage throws a plain Error with a message for operators; a driver's error needs some context.
      const isForOperators = error instanceof Error && error.constructor === Error;
      throw new Error(isForOperators ? reason : `The storage ${this.mask(url)} cannot be opened: ${reason}`);
    }
  }

  /** Compares only the scheme, since the rest of the URL may be invalid. */
  private adapterOf(url: string): StorageAdapter | undefined {
    const [scheme = ""] = /^[^:]*(?=:)/.exec(url) ?? [];
    return this.list.find(({ adapter }) => adapter.schemes.includes(scheme))?.adapter;
  }
}

/** Recognises the errors of Node and of node-gyp-build for a driver without a binary for this machine. */
function isForAnotherMachine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message }: NodeJS.ErrnoException = error;
  return code === "ERR_DLOPEN_FAILED" || message.startsWith("No native build was found");
}

async function loadModule(name: string, list: readonly Entry[]): Promise<Entry> {
  const path = /^\.{0,2}\//.test(name) ? resolve(name) : findPackage(name);
  if (!existsSync(path)) throw new Error(`was not found: ${path} does not exist; check the path`);
  const loading: Promise<{ default?: StorageAdapter }> = import(pathToFileURL(path).href);
  const { default: adapter } = await loading.catch((error) => {
    const [reason] = String(error?.message ?? error).split("\n");
    throw new Error(`failed to load: ${reason}`);
  });
  const isAdapter = typeof adapter?.open === "function" && typeof adapter.check === "function";
  if (!isAdapter || !Array.isArray(adapter.schemes)) {
    throw new Error("does not default-export a StorageAdapter");
  }
  const supported = `this petstore supports api ${STORAGE_API}. Install a matching version`;
  if (adapter.api !== STORAGE_API) throw new Error(`targets api ${String(adapter.api)}; ${supported}`);
  for (const scheme of adapter.schemes) {
    const owner = list.find((entry) => entry.adapter.schemes.includes(scheme));
    const user = owner?.module ? owner.from : "a built-in storage";
    if (owner) throw new Error(`uses the scheme ${scheme}:, which ${user} already uses; remove one of them`);
  }
  return { adapter, from: name, module: path };
}

/** Resolves packages from this file, since the service may be able to write to its working directory. */
function findPackage(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch {
    throw new Error(
      "is not installed beside petstore; install it there with npm, or use a path that begins with ./ or /",
    );
  }
}
