import memory from "../adapters/memory/storage.js";
import mongodb from "../adapters/mongodb/storage.js";
import sqlite from "../adapters/sqlite/storage.js";
import type { KnownStorages } from "./known-storages.js";

/** The storages that come with the program, in the order in which messages name them. */
export const BUILT_IN_STORAGES: KnownStorages = {
  adapters: [memory, sqlite, mongodb],
  defaultUrl: "sqlite:./data/petstore.db",
  faults: [],
};

/** Two URLs for help texts: of a storage to start with, and of one to move to. */
export const EXAMPLE_URLS = [BUILT_IN_STORAGES.defaultUrl, "mongodb://127.0.0.1:27017/petstore"] as const;
