import { once } from "node:events";
import type { Storage } from "../../application/storage-adapter.js";
import { describeError } from "../../storage-kit/messages.js";
import { operationsOf } from "../../storage-kit/operations.js";
import type { Reply, Task } from "../../storage-kit/other-process.js";

/** The other process: runs its parent's task, and sends back the results, or why it failed. */
export async function runForParent(open: () => Promise<Storage>): Promise<void> {
  const leave = () => process.exit(1);
  // Do not outlive the parent.
  process.once("disconnect", leave);
  const [{ calls }] = (await once(process, "message")) as [Task];
  const reply = (message: Reply, then: () => void) => process.send?.(message, then);
  try {
    const storage = await open();
    const operations = operationsOf(storage);
    if (calls) {
      const running = calls.map(([port, name, ...args]) =>
        operations.find((operation) => operation.port === port && operation.name === name)?.call(...args),
      );
      const results = structuredClone(await Promise.all(running));
      return void reply({ results }, () => process.kill(process.pid, "SIGKILL"));
    }
    await Promise.all(operations.map(({ callSample }) => callSample(1n)));
    await storage.close();
    reply({ results: [] }, () => process.off("disconnect", leave).disconnect());
  } catch (error) {
    reply({ failure: `failed: ${describeError(error)}` }, leave);
  }
}
