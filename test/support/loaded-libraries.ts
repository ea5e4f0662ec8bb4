/**
 * Builds the program on the storage of `node loaded-libraries.js STORAGE KEYS_FILE`, and prints the native
 * libraries of npm packages that the process has loaded.
 */
import { pino } from "pino";
import { buildPetstore } from "../../src/container.js";
import { readSettings } from "../../src/settings/settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";

const [storage, keysFile] = process.argv.slice(2);
const settings = readSettings({ PETSTORE_STORAGE: storage, PETSTORE_KEYS_FILE: keysFile }, BUILT_IN_STORAGES);
const petstore = await buildPetstore(settings, {
  logger: pino({ level: "silent" }),
  destination: { write() {} },
});
const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] };
console.log(JSON.stringify(sharedObjects.filter((path) => path.includes("node_modules"))));
await petstore.close();
