import type { StorageContext } from "petstore/storage";
import type pg from "pg";
import type { GroupedInserts } from "./grouped-inserts.js";

/** Adds the readings to /metrics. */
export function addReadings(context: StorageContext, pool: pg.Pool, inserts: GroupedInserts): void {
  context.addReading({
    name: "petstore_postgres_connections",
    help: "Connections to PostgreSQL that are open.",
    type: "gauge",
    read: () => pool.totalCount,
  });
  context.addReading({
    name: "petstore_postgres_connections_in_use",
    help: "Connections to PostgreSQL that an operation has now.",
    type: "gauge",
    read: () => pool.totalCount - pool.idleCount,
  });
  context.addReading({
    name: "petstore_postgres_waiting",
    help: "Operations that wait for a connection to PostgreSQL.",
    type: "gauge",
    read: () => pool.waitingCount,
  });
  context.addReading({
    name: "petstore_postgres_inserts_total",
    help: "Inserts that were sent; each stores every create that waited by then.",
    type: "counter",
    read: () => inserts.sent,
  });
}
