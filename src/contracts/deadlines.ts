import { AssertionError } from "node:assert/strict";

/** Settles as the work does; rejects if that takes longer than `milliseconds`. */
export async function inTime<Result>(
  what: string,
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `${what} did not settle within ${Math.floor(milliseconds / 1000)} s`;
      reject(new AssertionError({ message }));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
