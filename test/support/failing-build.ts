/**
 * Builds the program on the storage of `node failing-build.js STORAGE KEYS_FILE`, with a part that fails once
 * the storage is open. The process ends by itself if the build leaves nothing open.
 */
import { pino } from "pino";
import { buildPetstore, TOKENS } from "../../src/container.js";
import { readSettings } from "../../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";

const [storage, keysFile] = process.argv.slice(2);
const settings = readSettings({ PETSTORE_STORAGE: storage, PETSTORE_KEYS_FILE: keysFile }, BUILT_IN_STORAGES);
const log = { logger: pino({ level: "silent" }), destination: { write() {} } };
const fail = () => {
  throw new Error("no application");
};
await buildPetstore(settings, log, (program) => program.register(TOKENS.app, { useFactory: fail })).catch(
  (error: Error) => console.log(error.message),
);
