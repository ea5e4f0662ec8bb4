import { PetstoreError } from "../../src/domain/errors.js";

/** The code with which a promise is rejected; undefined where it resolves. Another error is passed on. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError) return error.code;
    throw error;
  }
}
