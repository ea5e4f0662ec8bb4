import { createHash } from "node:crypto";
import type { ApiKey } from "../../../application/ports/key-verifier.js";
import type { IdempotencyRecord } from "../../../application/ports/pet-repository.js";
import { ErrorAnswer } from "../answer/error-codes.js";

/**
 * Makes the record of a request with an `Idempotency-Key` out of the caller, the key and the body. Bare
 * and quoted keys are the same (draft-ietf-httpapi-idempotency-key-header, section 2.1, has them quoted); a key that
 * begins with a quote is quoted.
 *
 * @throws ErrorAnswer `invalid_idempotency_key`
 */
export function idempotencyRecord(
  header: string | string[] | undefined,
  caller: ApiKey,
  body: string,
): IdempotencyRecord | undefined {
  if (header === undefined) return undefined;
  const [, quoted, bare] = /^(?:"([!-~]{1,255})"|((?!")[!-~]{1,255}))$/.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) {
    throw new ErrorAnswer(
      "invalid_idempotency_key",
      "Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters, bare or in double quotes.",
    );
  }
  return { key: digest(`${caller.id}\n${key}`), fingerprint: digest(body) };
}

function digest(data: string): string {
  return createHash("sha256").update(data).digest("base64url");
}
