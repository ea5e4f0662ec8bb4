import type * as v from "valibot";
import type { Context } from "../context.js";
import { type ObjectSchema, readMembers } from "../json/read-input.js";
import { readObject } from "../json/read-object.js";
import { idempotencyRecord } from "./idempotency-record.js";
import { prefersStrict } from "./prefer.js";
import { sendJson } from "./send-json.js";

/** Reads what a create is to store, and the record that makes the create safe to retry. */
export function readCreate<Schema extends ObjectSchema>(ctx: Context, schema: Schema) {
  const { headers } = ctx.req;
  const body = ctx.request.body as string;
  const record = idempotencyRecord(headers["idempotency-key"], ctx.state.key, body);
  const draft: v.InferOutput<Schema> = readMembers(schema, readObject(body), prefersStrict(headers.prefer));
  return { draft, record };
}

/** @param replayed whether an earlier create with the same idempotency key stored it */
export function sendCreated(ctx: Context, id: bigint, json: string, replayed: boolean): void {
  ctx.status = 201;
  ctx.set("Location", `${ctx.path}/${id}`);
  if (replayed) ctx.set("Idempotency-Replayed", "true");
  sendJson(ctx, json);
}
