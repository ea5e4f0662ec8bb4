import memory from "../adapters/memory/storage.js";
import mongodb from "../adapters/mongodb/storage.js";
import sqlite from "../adapters/sqlite/storage.js";
import type { KnownStorages } from "../settings/storage-rules.js";

/** The storages that come with the program, in the order in which messages name them. */
export const BUILT_IN_STORAGES: KnownStorages = {
  adapters: [memory, sqlite, mongodb],
  defaultUrl: "sqlite:./data/petstore.db",
  faults: [],
};

/** Two of them as a reader of a help text would use them: to start with, and to move to. */
export const EXAMPLE_URLS = [BUILT_IN_STORAGES.defaultUrl, "mongodb://127.0.0.1:27017/petstore"] as const;
