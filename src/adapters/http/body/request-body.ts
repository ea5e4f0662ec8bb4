import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import bodyParser from "koa-bodyparser";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Context } from "../context.js";

/** The largest body, in bytes: 16 KiB. `koa-app.ts` drops the rest of a refused body. */
const BODY_LIMIT = 16 * 1024;

/** The one media type of requests; UTF-8 is the only charset of JSON (RFC 8259, section 8.1). */
const MEDIA_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?;?$/i;

/**
 * koa-bodyparser in its mode for texts. Without an encoding it hands over the bytes; its parser of JSON would lose digits
 * and repeated members, and read malformed UTF-8.
 */
const parse = bodyParser({
  enableTypes: ["text"],
  extendTypes: { text: ["application/json"] },
  textLimit: `${BODY_LIMIT}b`,
  encoding: null as unknown as string,
});

/**
 * Leaves the text of the body in `ctx.request.body`.
 *
 * @throws ErrorAnswer `missing_body`, `unsupported_media_type`, `body_too_large`, `malformed_request`, `invalid_json`
 */
export async function readBody(ctx: Context): Promise<void> {
  const { req, res, request } = ctx;
  if (!hasBody(req)) throw MISSING;
  refuseOtherBodies(req.headers);
  // A client that sent `Expect: 100-continue` (RFC 9110, section 10.1.1) sends its body only now.
  if (req.headers.expect && req.httpVersion !== "1.0") res.writeContinue();
  try {
    await parse(ctx, async () => {});
  } catch (error) {
    // The server could not read it (`connection.ts`).
    if (error instanceof ErrorAnswer) throw error;
    throw (error as { type?: string }).type === "entity.too.large" ? BODY_TOO_LARGE : INCOMPLETE;
  }
  const bytes = request.body as Buffer;
  // Only the reader finds out whether a chunked body is empty.
  if (bytes.length === 0) throw MISSING;
  if (!isUtf8(bytes)) throw NO_UTF8;
  request.body = bytes.toString();
}

/** Whether a request has a body (RFC 9112, section 6.3). Node may not have told yet that one without is complete. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Checks a body by the head alone. */
function refuseOtherBodies(headers: IncomingHttpHeaders): void {
  if (headers["content-encoding"] !== undefined) {
    throw new ErrorAnswer("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
  if (!MEDIA_TYPE.test(headers["content-type"] ?? "")) {
    throw new ErrorAnswer(
      "unsupported_media_type",
      "Send the body as JSON, with Content-Type: application/json.",
    );
  }
  if (Number(headers["content-length"] ?? 0) > BODY_LIMIT) throw BODY_TOO_LARGE;
}

const MISSING = new ErrorAnswer("missing_body", "A body is required; send a JSON object.");
const NO_UTF8 = new ErrorAnswer("invalid_json", "The body is not valid UTF-8; encode it as UTF-8.");
const INCOMPLETE = new ErrorAnswer(
  "malformed_request",
  "The body ended before it was complete; send it again.",
);
const BODY_TOO_LARGE = new ErrorAnswer(
  "body_too_large",
  `The body must be at most ${BODY_LIMIT} bytes long.`,
);
