import { createHash, randomBytes } from "node:crypto";

/** By this prefix people and secret scanners recognise a leaked key. */
const PREFIX = "petstore_";

/** The form that every key has: the token68 of RFC 9110, section 11.2. */
export const KEY_FORM = /^[\w.~+/-]+=*$/;

/** The form of a key's name. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

/** Makes an API key: 192 random bits behind a recognisable prefix. */
export function makeApiKey(): string {
  return PREFIX + randomBytes(24).toString("base64url");
}

/** The SHA-256 digest of a key. A key is random, so nothing slower is needed to keep it from being guessed. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
