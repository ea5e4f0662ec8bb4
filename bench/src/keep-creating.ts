import { once } from "node:events";

// A process that `sqlite.ts` starts: it creates pets in the SQLite file FILE through the repository of the program MAIN.
// Once the parent has sent a duration, CLIENTS clients create one pet after the other for that long. Then the process
// sends the time that each create took.

const [, , main, file, clients] = process.argv as [string, string, string, string, string];
const { SqlitePetRepository } = await import(
  new URL("adapters/sqlite/sqlite-pet-repository.js", `file://${main}`).href
);
const repository = await SqlitePetRepository.open(file);
process.send?.("ready");
const [{ duration }] = (await once(process, "message")) as [{ duration: number }];
const end = performance.now() + duration;
const taken: number[] = [];

async function keepCreating(): Promise<void> {
  while (performance.now() < end) {
    const begun = performance.now();
    await repository.create({ name: "Rex", categoryId: 1n, status: "sold" });
    taken.push(performance.now() - begun);
  }
}

await Promise.all(Array.from({ length: Number(clients) }, keepCreating));
await repository.close();
process.send?.(taken, () => process.exit());
