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
} from "./application/storage-adapter.js";

export const DEFAULT_STORAGE = "sqlite:./data/petstore.db";

/** A storage that `PETSTORE_STORAGE` can name. */
interface KnownStorage {
  readonly adapter: StorageAdapter;
  /** The package or path that the operator named, or "built in". */
  readonly from: string;
  /** The path of its module; null if it is built in. */
  readonly module: string | null;
}

export interface KnownStorages {
  readonly known: readonly KnownStorage[];
  /** What is wrong with `PETSTORE_STORAGE_ADAPTERS`, each as "names MODULE, which …". */
  readonly faults: readonly string[];
}

export const BUILT_IN: KnownStorages = {
  known: [memory, sqlite, mongodb].map((adapter) => ({ adapter, from: "built in", module: null })),
  faults: [],
};

const PATH = /^\.{0,2}\//;

/** The built-in storages and those of the modules that `PETSTORE_STORAGE_ADAPTERS` names. Never rejects. */
export async function loadStorages(modules: string | undefined): Promise<KnownStorages> {
  const known = [...BUILT_IN.known];
  const faults: string[] = [];
  for (const name of modules?.split(",").map((name) => name.trim()) ?? []) {
    try {
      known.push(await load(name, known));
    } catch (error) {
      faults.push(`names ${name}, which ${(error as Error).message}`);
    }
  }
  return { known, faults };
}

async function load(name: string, known: readonly KnownStorage[]): Promise<KnownStorage> {
  const path = PATH.test(name) ? resolve(name) : findPackage(name);
  if (!existsSync(path)) throw new Error(`is not there: ${path} does not exist; correct the path`);
  const { default: adapter } = await import(pathToFileURL(path).href).catch((error) => {
    const [reason] = String(error?.message ?? error).split("\n");
    throw new Error(`fails as it loads: ${reason}; fix it, or ask its author`);
  });
  checkAdapter(adapter);
  for (const scheme of adapter.schemes) {
    const owner = known.find((one) => one.adapter.schemes.includes(scheme));
    const user = owner?.module ? owner.from : "a built-in storage";
    if (owner) throw new Error(`has the scheme ${scheme}:, which ${user} has already; leave one of them out`);
  }
  return { adapter, from: name, module: path };
}

/** Resolves packages from this file, never from the working directory, which the service may be able to write to. */
function findPackage(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw new Error(`cannot be found: ${message}; correct the name`);
    throw new Error(
      "is not installed beside petstore; install it there with npm, or name a file by a path that begins with ./ or /",
    );
  }
}

function checkAdapter(adapter: StorageAdapter | undefined): void {
  if (typeof adapter?.open !== "function" || !Array.isArray(adapter.schemes)) {
    throw new Error("has no default export that is a StorageAdapter; ask its author");
  }
  if (adapter.api !== STORAGE_API) {
    const found = JSON.stringify(adapter.api);
    throw new Error(
      `has api ${found}, and this petstore knows api ${STORAGE_API}; install a version that fits`,
    );
  }
}

/** The adapter of a URL's scheme, even if the rest of the URL is faulty. */
export function findAdapter(url: string, { known }: KnownStorages): StorageAdapter | undefined {
  const [scheme = ""] = /^[^:]*(?=:)/.exec(url) ?? [];
  return known.find(({ adapter }) => adapter.schemes.includes(scheme))?.adapter;
}

/** The rule that a URL breaks, as "must …, e.g. …"; undefined if it breaks none. */
export function checkUrl(url: string, storages: KnownStorages): string | undefined {
  const adapter = findAdapter(url, storages);
  if (adapter) {
    const fault = adapter.check(url);
    return fault && !fault.includes("e.g.") ? `${fault}, e.g. ${adapter.form}` : fault;
  }
  const forms = storages.known.map((one) => one.adapter.form);
  return `must be ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(forms)}, e.g. ${DEFAULT_STORAGE}`;
}

/** Redacts texts that may repeat a storage's URL, such as a driver's errors. */
export function redactUrl(url: string, storages: KnownStorages): (text: string) => string {
  const masked = maskUrl(url, storages);
  return (text) => maskPassword(text.replaceAll(url, masked));
}

/** A storage's URL with its secrets masked. */
export function maskUrl(url: string, storages: KnownStorages): string {
  return findAdapter(url, storages)?.mask?.(url) ?? maskPassword(url);
}

/** @throws Error that says what to correct, without secrets, if the storage can never be used */
export async function openStorage(
  url: string,
  storages: KnownStorages,
  context: StorageContext,
): Promise<Storage> {
  const redact = redactUrl(url, storages);
  try {
    const adapter = findAdapter(url, storages);
    if (!adapter) throw new Error(`The URL of a storage ${checkUrl(url, storages)}`);
    return await adapter.open(url, context);
  } catch (error) {
    // A storage throws a plain Error with a message for operators; a driver's error needs some context.
    const reason = error instanceof Error ? error.message : String(error);
    const isForOperators = error instanceof Error && error.constructor === Error;
    throw new Error(redact(isForOperators ? reason : `The storage ${url} cannot be opened: ${reason}`));
  }
}
