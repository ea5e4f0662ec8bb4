import { storageUnavailable } from "../../domain/errors.js";
import type { Wrapper } from "./around.js";

/** How long an operation of a storage may take, in milliseconds: clients get an answer within 5 s. */
const DEADLINE = 4500;

/** Gives up an operation that takes too long. The contract asks an adapter alone, and so for a limit of its own. */
export const deadline: Wrapper = (call) => withinDeadline(call());

/** Rejects with `storage_unavailable` if the work takes too long. */
export function withinDeadline<Result>(work: Promise<Result>): Promise<Result> {
  return within(DEADLINE, work, () =>
    storageUnavailable(new Error(`the storage did not answer within ${DEADLINE / 1000} s`)),
  );
}

/**
 * Settles as the work does, or rejects after so many milliseconds. The work then goes on, and nobody awaits it.
 *
 * @param late makes the error
 */
export function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    work.then(resolve, reject).then(() => clearTimeout(timer));
  });
}
