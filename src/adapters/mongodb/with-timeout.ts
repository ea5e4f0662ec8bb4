/**
 * The time limit, in milliseconds, of what one caller does for all: driver 7.8 waits for ever if it writes to a socket at the
 * moment it closes.
 */
export const SHARED_TIMEOUT = 8000;

/** Settles as the work does, or rejects after so many milliseconds; the work then goes on unobserved. */
export function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database did not answer within ${milliseconds} ms`));
    const timer = setTimeout(late, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
