import type { StorageReading } from "../../application/ports/storage-adapter.js";
import type { MalformedDocuments } from "./malformed-documents.js";

/** The metrics of a database: its pool of connections, and malformed documents of other writers. */
export function readingsOf(
  pool: { readonly open: number; readonly inUse: number },
  malformed: MalformedDocuments,
): readonly StorageReading[] {
  return [
    {
      name: "petstore_mongodb_connections",
      help: "Connections to MongoDB that are open.",
      type: "gauge",
      read: () => pool.open,
    },
    {
      name: "petstore_mongodb_connections_in_use",
      help: "Connections to MongoDB that an operation has now.",
      type: "gauge",
      read: () => pool.inUse,
    },
    {
      name: "petstore_mongodb_malformed_documents_total",
      help: "Documents that another writer left malformed, counted each time one is skipped.",
      type: "counter",
      read: () => malformed.skipped,
    },
  ];
}
