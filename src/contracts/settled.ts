import { AssertionError } from "node:assert/strict";

/** Settles as the operation does, or rejects once so many milliseconds have passed. */
export async function settled<Result>(
  what: string,
  operation: Promise<Result>,
  milliseconds: number,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AssertionError({ message: `${what} did not settle within ${milliseconds / 1000} s` }));
    }, milliseconds);
  });
  try {
    return await Promise.race([operation, late]);
  } finally {
    clearTimeout(timer);
  }
}
