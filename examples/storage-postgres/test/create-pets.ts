/** `node create-pets.js URL` creates the pets that its standard input has, all at once, and prints each answered pet. */
import { text } from "node:stream/consumers";
import adapter from "../src/storage.js";

const [url = ""] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const repository = await adapter.open(url, { log: silent, addReading() {} });
const lines = (await text(process.stdin)).split("\n").filter(Boolean);
await Promise.all(
  lines.map(async (line) => {
    const [name, categoryId, status] = JSON.parse(line);
    const { pet } = await repository.create({ name, categoryId: BigInt(categoryId), status });
    console.log(JSON.stringify([`${pet.id}`, pet.name, `${pet.categoryId}`, pet.status]));
  }),
);
// To be killed.
setInterval(() => {}, 1000);
