import { createRequire } from "node:module";
import { maskPassword, type StorageAdapter } from "../../application/storage-adapter.js";

// Loads the driver only for a MongoDB URL.
const require = createRequire(import.meta.url);

/** Rejects database names, white space and fragments that the driver would accept. */
const FORM = /^mongodb(\+srv)?:\/\/[^\s/?#]+(\/[^\s/?#\\."$*<>:|%]{0,63})?(\?[^\s#]*)?$/;

/** Names of secret options, even misspelt. */
const SECRET = /pass|pas?w|pwd|secret|token|properties/i;

const mongodb: StorageAdapter = {
  api: 2,
  schemes: ["mongodb", "mongodb+srv"],
  form: "mongodb://HOST/DATABASE",
  shared: true,
  durable: true,
  check(url) {
    if (!FORM.test(url))
      return (
        "must be mongodb://HOST/DATABASE (in user and password every special character as %XX) or " +
        "mongodb+srv://HOST/DATABASE (without a port), e.g. mongodb://127.0.0.1:27017/petstore"
      );
    const { MongoClient }: typeof import("mongodb") = require("mongodb");
    try {
      new MongoClient(url, { readPreference: "primary" });
      return undefined;
    } catch (error) {
      return `is rejected by the driver: ${error instanceof Error ? error.message : error}`;
    }
  },
  mask: (url) => maskPassword(url).replace(/[?&][^&]*/g, maskOption),
  async open(url, context) {
    const { Connection } = await import("./connection.js");
    const { MongodbPetRepository } = await import("./mongodb-pet-repository.js");
    const { setUp } = await import("./set-up.js");
    const connection = new Connection(url, (db) => setUp(db, context));
    await connection.open();
    const pets = new MongodbPetRepository(connection);
    const ping = () => connection.run(async ({ db }) => void (await db.command({ ping: 1 })));
    return { pets, archive: pets, ping, close: () => connection.close() };
  },
};

function maskOption(option: string): string {
  const [name = ""] = option.split("=", 1);
  return SECRET.test(name) ? option.replace(/=.*/s, "=***") : option;
}

export default mongodb;
