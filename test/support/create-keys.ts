/** Makes the keys file of `node create-keys.js PATH START` at the instant START; prints the key, or "none". */
import { setTimeout as sleep } from "node:timers/promises";
import { createKeysFile } from "../../src/adapters/keys/keys-file.js";

const [path = "", start = ""] = process.argv.slice(2);
await sleep(Number(start) - Date.now());
console.log((await createKeysFile(path)) ?? "none");
