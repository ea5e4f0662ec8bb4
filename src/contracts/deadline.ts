import { AssertionError } from "node:assert/strict";

/** Settles as the operation does; rejects if that takes longer than `milliseconds`. */
export async function settled<Result>(
  what: string,
  operation: Promise<Result>,
  milliseconds: number,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AssertionError({ message: `${what} did not settle within ${seconds(milliseconds)}` }));
    }, milliseconds);
  });
  try {
    return await Promise.race([operation, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Repeats the operation until it resolves; rejects if that takes longer than `milliseconds`. */
export async function within<Result>(
  milliseconds: number,
  what: string,
  ask: () => Promise<Result>,
): Promise<Result> {
  const end = performance.now() + milliseconds;
  let last: unknown = "did not settle";
  for (;;) {
    const left = end - performance.now();
    if (left <= 0) {
      const message = `${what} did not work within ${seconds(milliseconds)}: ${String(last)}`;
      throw new AssertionError({ message });
    }
    try {
      return await settled(what, ask(), left);
    } catch (error) {
      last = error;
    }
    await pause(100);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Whole seconds: an error names the limit of the rule without the time granted to a busy machine. */
function seconds(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1000)} s`;
}
