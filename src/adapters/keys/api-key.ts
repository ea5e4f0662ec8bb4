import { createHash, randomBytes } from "node:crypto";

/** By this prefix people and secret scanners recognise a leaked key. */
const PREFIX = "petstore_";

/**
 * Makes an API key: 192 random bits behind a recognisable prefix. `key-verifier.ts` has the form of every key, and
 * `key-store.ts` that of its name.
 */
export function makeApiKey(): string {
  return PREFIX + randomBytes(24).toString("base64url");
}

/** The SHA-256 digest of a key. A key is random, so nothing slower is needed to keep it from being guessed. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
