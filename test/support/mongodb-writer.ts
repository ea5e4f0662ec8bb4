import { openMongodb } from "./open-storages.js";

/**
 * A process that creates pets at once, for several rounds, and prints the answers of `create`. Arguments: the
 * URL, how many at once, and how many rounds.
 */
const [url = "", count, rounds] = process.argv.slice(2);
const storage = await openMongodb(url);
const creations = [];
for (let round = 0; round < Number(rounds); round++) {
  const creating = Array.from({ length: Number(count) }, (_, n) =>
    storage.pets.create({ name: `${process.pid} ${round} ${n}`, categoryId: BigInt(n), status: "available" }),
  );
  creations.push(...(await Promise.all(creating)));
}
await storage.close();
console.log(JSON.stringify(creations.map(({ pet }) => ({ id: String(pet.id), name: pet.name }))));
