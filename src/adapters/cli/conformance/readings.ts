import type { StorageContext, StorageReading } from "../../../application/ports/storage-adapter.js";

/** A reading with such a name tells how many stored pets the storage has looked at. */
const PETS_READ = /_pets_read_total$/;

/** What a storage is handed, and the readings that it adds; its log goes nowhere. */
export class Readings {
  private readonly counts: StorageReading[] = [];

  readonly context: StorageContext = {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    addReading: (reading) => {
      if (PETS_READ.test(reading.name)) this.counts.push(reading);
    },
  };

  /** How many pets all instances have looked at; undefined if the storage does not tell. */
  petsRead(): number | undefined {
    if (this.counts.length === 0) return undefined;
    return this.counts.reduce((sum, { read }) => sum + read(), 0);
  }
}
