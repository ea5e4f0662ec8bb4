import { hash } from "node:crypto";
import * as v from "valibot";
import type { CreatePet } from "../../../application/create-pet.js";
import type { IdempotencyRecord } from "../../../application/ports/pet-repository.js";
import { HttpError } from "../http-error.js";
import { int64, readMembers } from "../json/read-input.js";
import { readObject } from "../json/read-object.js";
import type { Context, Operation } from "../operations.js";
import { petJson, status } from "./pet-schemas.js";

const NewPetSchema = v.object({ name: v.string("must be a string"), categoryId: int64, status });

export function createPet(useCase: CreatePet): Operation {
  return {
    id: "createPet",
    method: "post",
    path: "/v1/pets",
    async handle(ctx) {
      const body = ctx.request.body as string;
      const record = readRecord(ctx, body);
      const draft = readMembers(NewPetSchema, readObject(body), prefersStrict(ctx.get("Prefer")));
      const { pet, replayed } = await useCase.execute(draft, record);
      ctx.status = 201;
      ctx.set("Location", `/v1/pets/${pet.id}`);
      if (replayed) ctx.set("Idempotency-Replayed", "true");
      return petJson(pet);
    },
  };
}

/** Reads the record that makes a create safe to retry, if the client sent a key. */
function readRecord({ req, state }: Context, body: string): IdempotencyRecord | undefined {
  const header = req.headers["idempotency-key"];
  if (header === undefined) return undefined;
  // Bare or in double quotes (draft-ietf-httpapi-idempotency-key-header, section 2.1).
  const [, quoted, bare] = /^(?:"([!-~]{1,255})"|((?!")[!-~]{1,255}))$/.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key) return { key: sha256(`${state.key?.id}\n${key}`), fingerprint: sha256(body) };
  throw new HttpError(
    "invalid_idempotency_key",
    "Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters, bare or in double quotes.",
  );
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Whether `Prefer` (RFC 7240) asks for strict handling. The first `handling` preference counts. */
function prefersStrict(header: string): boolean {
  for (const preference of header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g) ?? []) {
    const [, handling] = /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (handling) return handling.toLowerCase() === "strict";
  }
  return false;
}
