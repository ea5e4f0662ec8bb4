import { pino } from "pino";
import { MongodbPetRepository } from "../../src/adapters/mongodb/mongodb-pet-repository.js";

/**
 * A process that creates pets at once, for several rounds, and prints the answers of `create`. Arguments: the
 * URL, how many at once, how many rounds, and an idempotency key for all of them, or none.
 */
const [url = "", count, rounds, key] = process.argv.slice(2);
const repository = await MongodbPetRepository.open(url, pino({ level: "silent" }));
const record = key ? { key, fingerprint: "fingerprint" } : undefined;
const creations = [];
for (let round = 0; round < Number(rounds); round++) {
  const creating = Array.from({ length: Number(count) }, (_, n) =>
    repository.create(
      { name: `${process.pid} ${round} ${n}`, categoryId: BigInt(n), status: "available" },
      record,
    ),
  );
  creations.push(...(await Promise.all(creating)));
}
await repository.close();
console.log(
  JSON.stringify(creations.map(({ pet, replayed }) => ({ id: String(pet.id), name: pet.name, replayed }))),
);
