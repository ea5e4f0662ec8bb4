import type { IncomingMessage } from "node:http";
import type { HttpError } from "../answer/error-codes.js";

const refused = new WeakMap<IncomingMessage, HttpError>();

/** Tells whoever reads the body of a request, now or later, that the server could not read it. */
export function refuseBody(req: IncomingMessage, refusal: HttpError): void {
  refused.set(req, refusal);
  req.emit("refused");
}

/** Rejects once the server cannot read the body of a request. */
export function refusalOf(req: IncomingMessage): Promise<never> {
  return new Promise((_, reject) => {
    const tell = () => reject(refused.get(req));
    if (refused.has(req)) tell();
    else req.once("refused", tell);
  });
}
