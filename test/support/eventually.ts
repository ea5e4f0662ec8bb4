import { setTimeout as sleep } from "node:timers/promises";

/** The pause between two attempts, in milliseconds. */
const PAUSE = 20;

/**
 * Retries until the result is not undefined; fails after pauses of `timeout` milliseconds in total. It reads no clock,
 * since a time in which the whole machine stands still must not count.
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

/** Waits until a condition holds; fails after pauses of `timeout` milliseconds in total. */
export async function until(holds: () => boolean | Promise<boolean>, timeout?: number): Promise<void> {
  await eventually(async () => (await holds()) || undefined, timeout);
}

/** Waits until this process has read all bytes and closes of its other sockets. */
export async function arrival(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await sleep(10);
}
