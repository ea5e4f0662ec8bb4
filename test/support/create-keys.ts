/** Makes the keys file of `node create-keys.js PATH` once it is told to go on; prints the key, or "none". */
import { once } from "node:events";
import { createKeysFile } from "../../src/adapters/keys/keys-file.js";

const [path = ""] = process.argv.slice(2);
console.log("ready");
await once(process.stdin, "data");
process.stdin.pause();
console.log((await createKeysFile(path)) ?? "none");
