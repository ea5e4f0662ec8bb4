import { hash, randomBytes } from "node:crypto";

/** Creates a key of 192 random bits. Its prefix lets people and secret scanners recognise a leaked one. */
export function createApiKey(): string {
  return `petstore_${randomBytes(24).toString("base64url")}`;
}

/** The SHA-256 digest of a key, in hex. Keys are random, so a slow hash would add nothing. */
export function digestOf(secret: string): string {
  return hash("sha256", secret);
}
