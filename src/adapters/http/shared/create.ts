import { hash } from "node:crypto";
import type * as v from "valibot";
import type { IdempotencyRecord } from "../../../application/ports/pet-repository.js";
import type { Context } from "../context.js";
import { HttpError } from "../http-error.js";
import { type ObjectSchema, readMembers } from "../json/read-input.js";
import { readObject } from "../json/read-object.js";

/** Reads what a create is to store, and the record that makes the create safe to retry. */
export function readCreate<Schema extends ObjectSchema>(ctx: Context, schema: Schema) {
  const record = readRecord(ctx);
  const members = readObject(ctx.request.body as string);
  const draft: v.InferOutput<Schema> = readMembers(schema, members, prefersStrict(ctx.get("Prefer")));
  return { draft, record };
}

/** @param replayed whether an earlier create with the same idempotency key stored it */
export function setCreated(ctx: Context, id: bigint, replayed: boolean): void {
  ctx.status = 201;
  ctx.set("Location", `${ctx.path}/${id}`);
  if (replayed) ctx.set("Idempotency-Replayed", "true");
}

function readRecord({ req, request, state }: Context): IdempotencyRecord | undefined {
  const header = req.headers["idempotency-key"];
  if (header === undefined) return undefined;
  // Bare or in double quotes (draft-ietf-httpapi-idempotency-key-header, section 2.1).
  const [, quoted, bare] = /^(?:"([!-~]{1,255})"|((?!")[!-~]{1,255}))$/.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key) return { key: sha256(`${state.key?.id}\n${key}`), fingerprint: sha256(request.body as string) };
  throw new HttpError(
    "invalid_idempotency_key",
    "Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters, bare or in double quotes.",
  );
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Whether `Prefer` (RFC 7240) asks for strict handling. The first of several `handling` preferences counts. */
function prefersStrict(header: string): boolean {
  for (const preference of header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g) ?? []) {
    const [, handling] = /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (handling) return handling.toLowerCase() === "strict";
  }
  return false;
}
