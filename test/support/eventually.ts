import { setTimeout as sleep } from "node:timers/promises";

/** The time between two questions, in milliseconds. */
const PAUSE = 20;

/**
 * Asks again and again until the answer is not undefined; fails after pauses of `patience` milliseconds. It adds up the
 * pauses and reads no clock, since a time in which the whole machine stands still must not count.
 */
export async function eventually<Answer>(
  ask: () => Answer | undefined | Promise<Answer | undefined>,
  patience = 30_000,
): Promise<Answer> {
  for (let waited = 0; ; waited += PAUSE) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (waited > patience) throw new Error(`nothing within ${patience} ms`);
    await sleep(PAUSE);
  }
}

/** Waits until something holds; fails after pauses of `patience` milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, patience?: number): Promise<void> {
  await eventually(async () => (await holds()) || undefined, patience);
}

/** Waits until this process has read what other sockets of its own have sent or closed. */
export async function arrival(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await sleep(10);
}
