import { availableParallelism } from "node:os";
import * as v from "valibot";
import { findAdapter, formsOf, type KnownStorages } from "./storage-rules.js";

/** The setting that holds the number of processes that share the port. */
export const workers = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^([1-9]\d?|auto)$/,
        "must be a number of processes from 1 to 99, or auto for one per core, e.g. 1",
      ),
      v.transform((workers) => (workers === "auto" ? availableParallelism() : Number(workers))),
    ),
    "1",
  );

/** Whether so many workers can use the storage of this URL. */
export function canShare(url: string, workers: number, storages: KnownStorages): boolean {
  return workers === 1 || findAdapter(url, storages)?.shared !== false;
}

/** The rule for `PETSTORE_WORKERS` on a storage that several processes cannot share. */
export function oneWorkerRule(url: string, storages: KnownStorages): string {
  const form = findAdapter(url, storages)?.form;
  const shared = formsOf(storages.adapters.filter((adapter) => adapter.shared));
  return `must be 1 if PETSTORE_STORAGE is ${form}, which several processes cannot share; they can share ${shared}, e.g. 1`;
}
