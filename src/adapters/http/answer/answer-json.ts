import type { Context } from "../context.js";

/** Answers with a JSON text. `ctx.type = "json"` would add a charset, which the contract excludes. */
export function answerJson(ctx: Context, status: number, text: string): void {
  const { response } = ctx;
  response.status = status;
  response.set("Content-Type", "application/json");
  response.body = text;
}
