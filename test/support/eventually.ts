import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until the answer is not undefined; fails after `patience` milliseconds. */
export async function eventually<Answer>(
  ask: () => Answer | undefined | Promise<Answer | undefined>,
  patience = 10_000,
): Promise<Answer> {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`nothing within ${patience} ms`);
    await sleep(20);
  }
}

/** Waits until something holds; fails after `patience` milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, patience?: number): Promise<void> {
  await eventually(async () => (await holds()) || undefined, patience);
}
