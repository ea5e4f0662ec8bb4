import { once } from "node:events";
import { SILENT_CONTEXT } from "../application/storage-adapter.js";
import { describeError } from "../storage-kit/messages.js";
import type { Reply, Task } from "../storage-kit/other-process.js";
import { callsOf } from "../storage-kit/samples.js";
import { Storages } from "../storages.js";

/** Runs the parent's task, sends back the result or why it failed, and exits by itself. */
export async function runForParent(url: string): Promise<void> {
  const storages = await Storages.load(process.env);
  const leave = () => process.exit(1);
  // Do not outlive the parent.
  process.once("disconnect", leave);
  const [{ pets, records }] = (await once(process, "message")) as [Task];
  const reply = (message: Reply, then: () => void) => process.send?.(message, then);
  try {
    const storage = await storages.open(url, SILENT_CONTEXT);
    if (pets) {
      const creations = await Promise.all(pets.map((pet, n) => storage.pets.create(pet, records?.[n])));
      const created = creations.map(({ pet }) => structuredClone(pet));
      reply({ pets: created }, () => process.kill(process.pid, "SIGKILL"));
    } else {
      await Promise.all(Object.values(callsOf(storage, 1)).map((call) => call()));
      await storage.close();
      reply({ pets: [] }, () => process.off("disconnect", leave).disconnect());
    }
  } catch (error) {
    reply({ failure: `failed: ${describeError(error)}` }, leave);
  }
  // Otherwise main.ts would end the process.
  await once(process, "beforeExit");
}
