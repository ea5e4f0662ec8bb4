import type { MongoClient } from "mongodb";
import type { StorageReading } from "../../storages/storage-adapter.js";
import type { MalformedDocuments } from "./reading.js";

/** The metrics of a database: the client's pool of connections, and malformed documents of other writers. */
export function readingsOf(client: MongoClient, malformed: MalformedDocuments): readonly StorageReading[] {
  // If driver 7.8 clears the pool, it also reports connections as closed that were never ready.
  const open = new Set<string>();
  let inUse = 0;
  type Event = { readonly address: string; readonly connectionId: number | string };
  const name = ({ address, connectionId }: Event) => `${address} ${connectionId}`;
  client.on("connectionReady", (event) => open.add(name(event)));
  client.on("connectionClosed", (event) => open.delete(name(event)));
  client.on("connectionCheckedOut", () => inUse++);
  client.on("connectionCheckedIn", () => inUse--);
  return [
    {
      name: "petstore_mongodb_connections",
      help: "Connections to MongoDB that are open.",
      type: "gauge",
      read: () => open.size,
    },
    {
      name: "petstore_mongodb_connections_in_use",
      help: "Connections to MongoDB that an operation has now.",
      type: "gauge",
      read: () => inUse,
    },
    {
      name: "petstore_mongodb_malformed_documents_total",
      help: "Documents that another writer left malformed, counted each time one is skipped.",
      type: "counter",
      read: () => malformed.skipped,
    },
  ];
}
