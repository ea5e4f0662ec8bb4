import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";
import type { Context } from "koa";
import bodyParser from "koa-bodyparser";
import { HttpError } from "../http-error.js";

const JSON_TYPE = "application/json";

/** Maximum size of a body (bytes). */
const BODY_LIMIT = 16 * 1024;

/**
 * Leaves bytes in `ctx.request.body`: without an encoding, raw-body decodes nothing. Its JSON mode would lose
 * digits, duplicate members and invalid UTF-8; a decoder would load its tables at the first body.
 */
const parse = bodyParser({
  enableTypes: ["text"],
  extendTypes: { text: [JSON_TYPE] },
  textLimit: `${BODY_LIMIT}b`,
  encoding: "",
});

/** Leaves the text of the body in `ctx.request.body`. */
export async function readBody(ctx: Context): Promise<void> {
  const { req, request } = ctx;
  const { "content-encoding": coding, "content-type": type, "transfer-encoding": transfer } = req.headers;
  if (!transfer && !request.length) throw MISSING;
  // Parameters of the type have no meaning (RFC 8259, section 11).
  const isJson = coding === undefined && (type === JSON_TYPE || ctx.is(JSON_TYPE));
  let isEmpty = false;
  try {
    if (isJson) await parse(ctx, async () => {});
    else if (transfer) isEmpty = await endsWithoutData(req);
  } catch (error) {
    if ((error as { type?: string }).type === "entity.too.large") throw TOO_LARGE;
    // The client has gone, or the rest is malformed. Anything else is a failure of ours.
    if (req.destroyed) throw INCOMPLETE;
    throw error;
  } finally {
    // Drains unread data, so that the connection stays usable.
    req.resume();
  }
  if (!isJson && !isEmpty) throw coding === undefined ? NOT_JSON : ENCODED;
  const bytes = request.body as Buffer | undefined;
  if (!bytes?.length) throw MISSING;
  if (!isUtf8(bytes)) throw NOT_UTF8;
  request.body = bytes.toString();
}

/** Resolves to false at the first data, to true at the end. Rejects if the body is malformed or cut off. */
function endsWithoutData(req: IncomingMessage): Promise<boolean> {
  const ended = finished(req).then(() => true);
  return Promise.race([ended, new Promise<boolean>((resolve) => req.once("data", () => resolve(false)))]);
}

const MISSING = new HttpError("missing_body", "A body is required; send a JSON object.");
const ENCODED = new HttpError("unsupported_media_type", "Send the body without a Content-Encoding.");
const NOT_JSON = new HttpError("unsupported_media_type", `Send the body with Content-Type: ${JSON_TYPE}.`);
const NOT_UTF8 = new HttpError("invalid_json", "The body is not valid UTF-8; encode it as UTF-8.");
const INCOMPLETE = new HttpError("malformed_request", "The body is not complete; send it again.");
const TOO_LARGE = new HttpError("body_too_large", `The body must be at most ${BODY_LIMIT} bytes long.`);
