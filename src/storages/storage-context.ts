import type { StorageContext, StorageLog, StorageReading } from "../application/ports/storage-adapter.js";

/** Makes the context that the service hands to its storage. */
export function contextOf(log: StorageLog, metrics: { add(reading: StorageReading): void }): StorageContext {
  return { log, addReading: (reading) => metrics.add(reading) };
}
