import { storageUnavailable } from "../../domain/errors.js";

/** How long an operation may take, in milliseconds: clients get an answer within 5 s. */
const DEADLINE = 4500;

/** Rejects if the operation takes too long. The storage works on then, and nobody awaits it. */
export function withinDeadline<Result>(operation: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const working = operation();
    const timer = setTimeout(() => {
      reject(storageUnavailable(new Error(`the storage did not answer within ${DEADLINE / 1000} s`)));
    }, DEADLINE);
    working.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
