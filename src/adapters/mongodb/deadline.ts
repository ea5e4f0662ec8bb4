import { DatabaseError } from "./errors.js";

/** Settles as the work does, but rejects after `milliseconds`. The work then goes on, and nobody awaits it. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DatabaseError(`the database did not answer within ${milliseconds} ms`));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
