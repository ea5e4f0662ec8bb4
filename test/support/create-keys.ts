/** `node create-keys.js PATH` waits for input, makes the keys file, and prints the key, or "none". */
import { once } from "node:events";
import { createKeysFile } from "../../src/adapters/keys/keys-file.js";

const [path = ""] = process.argv.slice(2);
console.log("ready");
await once(process.stdin, "data");
process.stdin.pause();
console.log((await createKeysFile(path)) ?? "none");
