import { PetstoreError } from "../../src/domain/errors.js";

/** The code that a promise rejects with; undefined if it resolves. Passes on an error without a code. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError) return error.code;
    throw error;
  }
}

/** The message that a promise rejects with; undefined if it resolves. */
export function messageOf(promise: Promise<unknown>): Promise<string | undefined> {
  const none = () => undefined;
  return promise.then(none, ({ message }: Error) => message);
}
