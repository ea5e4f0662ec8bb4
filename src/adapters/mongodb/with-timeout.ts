/** Settles as the work does, or rejects after so many milliseconds; the work then goes on, and nobody awaits it. */
export function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database did not answer within ${milliseconds} ms`));
    const timer = setTimeout(late, milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
