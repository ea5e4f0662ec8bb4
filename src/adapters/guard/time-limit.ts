import { storageUnavailable } from "../../domain/errors.js";

/** In milliseconds; leaves time to respond within 5 s. */
const LIMIT = 4500;

/** Settles as the work does, or rejects with `storage_unavailable` after the limit; the work then continues unobserved. */
export function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const expire = () =>
      reject(storageUnavailable(new Error(`the storage did not respond within ${LIMIT} ms`)));
    const timer = setTimeout(expire, LIMIT);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
