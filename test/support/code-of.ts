import { PetstoreError } from "../../src/domain/errors.js";

/** Resolves to the code with which a promise rejects; undefined if it resolves. Rethrows an error without a code. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError) return error.code;
    throw error;
  }
}

export function messageOf(promise: Promise<unknown>): Promise<string | undefined> {
  const none = () => undefined;
  return promise.then(none, ({ message }: Error) => message);
}
