import { setTimeout as sleep } from "node:timers/promises";

/** The time between two questions, in milliseconds. */
const PAUSE = 20;

/**
 * Asks again and again until the answer is not undefined; fails after pauses of `timeout` milliseconds. It adds up the
 * pauses and reads no clock, since a time in which the whole machine stands still must not count.
 */
export async function eventually<Answer>(
  ask: () => Answer | undefined | Promise<Answer | undefined>,
  timeout = 30_000,
): Promise<Answer> {
  for (let waited = 0; ; waited += PAUSE) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (waited > timeout) throw new Error(`nothing within ${timeout} ms`);
    await sleep(PAUSE);
  }
}

/** Waits until something holds; fails after pauses of `timeout` milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, timeout?: number): Promise<void> {
  await eventually(async () => (await holds()) || undefined, timeout);
}

/** Waits until this process has read what other sockets of its own have sent or closed. */
export async function arrival(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await sleep(10);
}
