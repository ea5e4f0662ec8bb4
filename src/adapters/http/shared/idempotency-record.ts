import { hash } from "node:crypto";
import type { IdempotencyRecord } from "../../../application/ports/idempotency-record.js";
import type { ApiKey } from "../../../application/ports/key-verifier.js";
import { HttpError } from "../http-error.js";

/** Bare or in double quotes (draft-ietf-httpapi-idempotency-key-header, section 2.1). */
const FORM = /^(?:"([!-~]{1,255})"|((?!")[!-~]{1,255}))$/;

export function idempotencyRecord(
  header: string | string[] | undefined,
  apiKey: ApiKey | undefined,
  body: string,
): IdempotencyRecord | undefined {
  if (header === undefined) return undefined;
  const [, quoted, bare] = FORM.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key) return { key: sha256(`${apiKey?.id}\n${key}`), fingerprint: sha256(body) };
  throw new HttpError(
    "invalid_idempotency_key",
    "Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters, bare or in double quotes.",
  );
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}
