import { setTimeout as sleep } from "node:timers/promises";
import {
  type ContractCase,
  RuleBroken,
  STORAGE_CONTRACT,
  storageOf,
} from "../../../contracts/storage-contract.js";
import type { Storages } from "../program.js";
import { isEmpty } from "./inspect-storage.js";
import { createInOtherProcess, endsInOtherProcess } from "./other-process.js";
import type { Line, Order, Outcome } from "./process-messages.js";
import { ReadCounter } from "./read-counter.js";

/** How long to wait after a case for late errors of the storage, in milliseconds. */
const AFTERMATH = 10;

/**
 * Runs the case with this name on the storages at the URLs. Refuses a storage that is not empty. This process ends if the
 * case takes longer than `--timeout`: `case-process.ts` watches it.
 */
export async function run(
  { name, urls, offered }: Extract<Order, { order: "run" }>,
  storages: Storages,
  line: Line,
): Promise<Outcome> {
  const asked = STORAGE_CONTRACT.find((one) => one.name === name) as ContractCase;
  const [left, fresh, readings] = [[...urls], new Set<string>(), new ReadCounter()];
  let refused: string | undefined;
  const newUrl = (): string => {
    const url = left.shift() as string;
    line.say({ report: "opens", url });
    fresh.add(url);
    return url;
  };
  const { durable, shared } = await storages.findStorage(urls[0] as string);
  const adapter: Parameters<typeof storageOf>[0] = {
    durable,
    shared,
    async open(url, context) {
      const pets = await storages.openStorage(url, context);
      if (!fresh.delete(url) || (await isEmpty(pets))) return pets;
      refused = url;
      await pets.close();
      throw new Error("The storage is not empty.");
    },
  };
  const storage = storageOf(adapter, {
    newUrl,
    context: readings.context,
    archive: offered.archive,
    useAndClose: () => endsInOtherProcess(newUrl()),
    ...(durable && { createAndDie: createInOtherProcess }),
    ...(offered.petsRead && { petsRead: () => readings.petsRead() ?? 0 }),
    ...(offered.deletePet && { deletePet: (url, id) => line.wish({ wish: "deletePet", url, id }) }),
    ...(offered.outage && {
      outage: { down: () => line.wish({ wish: "down" }), up: () => line.wish({ wish: "up" }) },
    }),
  });
  try {
    // An error outside of any operation mostly comes right after an operation. Thanks to the wait it
    // counts for this case.
    await asked.run(storage).finally(() => sleep(AFTERMATH));
    return { outcome: "held" };
  } catch (error) {
    if (refused !== undefined) return { outcome: "refused", url: refused };
    return { outcome: "broken", seen: error instanceof RuleBroken ? error.seen : String(error) };
  }
}
