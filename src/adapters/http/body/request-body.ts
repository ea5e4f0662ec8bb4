import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import getRawBody from "raw-body";
import { HttpError } from "../answer/error-codes.js";
import type { Context } from "../context.js";

/** The largest body, in bytes: 16 KiB. `answer-error.ts` reads the rest of a refused body, and drops it. */
const BODY_LIMIT = 16 * 1024;

/** The one media type of requests; UTF-8 is the only charset of JSON (RFC 8259, section 8.1). */
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?;?$/i;

/** Reads the bytes of a body that its request must have. */
export async function readBody({ req, res }: Context): Promise<Buffer> {
  refuseOtherBodies(req.headers);
  // A client that sent `Expect: 100-continue` (RFC 9110, section 10.1.1) sends its body only now.
  if (req.headers.expect && req.httpVersion !== "1.0") res.writeContinue();
  const bytes = await getRawBody(req, { limit: BODY_LIMIT }).catch((error) => {
    throw bodyError(error);
  });
  if (bytes.length === 0) throw missingBody();
  return bytes;
}

/** The text of a body, which must be UTF-8. */
export function bodyText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError("invalid_json", "The body is not valid UTF-8; encode it as UTF-8.");
  return bytes.toString("utf8");
}

/** Checks a body by the head alone. Only the reader finds out whether a chunked body is empty. */
function refuseOtherBodies(headers: IncomingHttpHeaders): void {
  const codings = headers["transfer-encoding"];
  if (codings === undefined && Number(headers["content-length"] ?? 0) === 0) throw missingBody();
  if (headers["content-encoding"] !== undefined) {
    throw new HttpError("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) {
    throw new HttpError(
      "unsupported_media_type",
      "Send the body as JSON, with Content-Type: application/json.",
    );
  }
  if (Number(headers["content-length"] ?? 0) > BODY_LIMIT) throw bodyTooLarge();
}

function bodyError(error: Error & { type?: string }): HttpError {
  if (error.type === "entity.too.large") return bodyTooLarge();
  return new HttpError("malformed_request", "The body ended before it was complete; send it again.");
}

function missingBody(): HttpError {
  return new HttpError("missing_body", "A body is required: a JSON object with name and categoryId.");
}

function bodyTooLarge(): HttpError {
  return new HttpError("body_too_large", `The body must be at most ${BODY_LIMIT} bytes long.`);
}
