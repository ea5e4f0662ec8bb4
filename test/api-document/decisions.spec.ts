import { readFileSync } from "node:fs";
import { expect } from "chai";
import { API_JSON } from "../support/described.js";

/** The API document and the guide of its page, as one text. */
const TEXT = `${API_JSON}\n${readFileSync("src/api-document/guide.md", "utf8")}`;

/** Every decision that a client can notice, with the words that state it. */
const STATED: Readonly<Record<string, RegExp>> = {
  "every operation is under /v1": /Every operation is under `\/v1`/,
  "the default status is available": /Left out, it is `available`, which is stored/,
  "the list is in ascending order of id": /ascending order of id/,
  "the list is a bare array": /"type": "array",\s+"maxItems": 100/,
  "the next page is a Link header, absent on the last page": /rel=\\"next\\"`; absent on the last page/,
  "a cursor is opaque, and of one filter": /opaque, outlives a\s+restart.*belongs to the `status` filter/,
  "limit may change between pages": /`limit` may change/,
  "paging sees every pet once": /seen exactly once, whatever is created/,
  "links are relative, or absolute if a setting says so": /relative to this one, or absolute if/,
  "limit is plain decimal digits, and never clamped": /plain decimal digits.*refused, never clamped/,
  "unknown query parameters are refused": /An unknown parameter is refused/,
  "other operations ignore a query": /other operations ignore a query/,
  "unknown members are ignored, id included": /unknown member, `id` included, is ignored and never stored/,
  "strict handling refuses unknown members": /`handling=strict` an unknown member of the body is refused/,
  "repeated members are refused": /A member given twice is\s*(\\n)?refused/,
  "a name has 1 to 255 code points, and its rules":
    /1 to 255 Unicode code points, at least one of them not white space, no control characters and no lone surrogates/,
  "a name is stored as sent, and may be shared": /stored exactly as sent; several pets may share one/,
  "categoryId may be any int64": /any int64, zero and negative included/,
  "5.0 and 5e0 are integers, fractions are not": /`5e0` are read as 5; a string or a fraction is refused/,
  "numbers are exact over all of int64": /exact over all of −2⁶³ … 2⁶³−1/,
  "ids begin at 1, and stay below 2^53": /from 1 upwards, with gaps, never used again, below 2⁵³/,
  "a malformed petId is 404": /`01`, `\+1`, `1\.0`\) is 404 `pet_not_found`/,
  "201 carries Location": /address of the new pet: `\/v1\/pets\/\{id\}`/,
  "store orders are an empty list": /an empty array, since no operation places an order/,
  "store orders are beta, without a test panel": /"x-stability": "beta",\s+"x-hideTryItPanel": true/,
  "getPet ends on 5 December 2030": /"deprecated": true,\s+"x-deprecated-sunset": "2030-12-05"/,
  "every answer of getPet announces it": /Every answer, errors included, announces the end/,
  "getPet is served after the date, or 410":
    /after that date unless the operator turns it off: then it is 410(\\n|\s)`operation_removed`/,
  "uses of getPet are counted per key": /sees which API keys still use it/,
  "errors have one body": /one body, with nothing else in it: `code`, `message` and `status`/,
  "an error's status is the HTTP status": /`status`, which repeats the HTTP status/,
  "Content-Type is exactly application/json": /exactly `application\/json`, on errors too: no charset/,
  "messages never repeat what was sent": /never repeats a value that was\s+sent/,
  "405 carries Allow, and OPTIONS answers 204":
    /`OPTIONS` answers 204 with `Allow`; another method at a known path is 405 with `Allow`/,
  "503 and 429 carry Retry-After": /Every 503 and 429 says in `Retry-After`/,
  "shutting_down is the admin port's alone": /Only \/readyz of the admin port says so/,
  "no body is missing_body, another type 415": /another type is 415; no body at all is 400 `missing_body`/,
  "a body is at most 16 KiB of plain UTF-8": /in UTF-8 of at most 16 KiB, without a `Content-Encoding`/,
  "HEAD answers as GET": /`HEAD` answers as `GET` does, without the body/,
  "paths are case-sensitive, without a slash at the end": /case-sensitive, and `\/v1\/pets\/` is not/,
  "a request has exactly one Host": /exactly one `Host`/,
  "no input gets a 500": /No input gets a 500/,
  "the scheme's letters may be of any case": /scheme's letters may be of any case/,
  "keys are checked before routing, OPTIONS included": /checked before anything else under `\/v1`, `OPTIONS`/,
  "the answer does not tell why a key is bad": /unknown, expired or revoked; the answer does not tell which/,
  "a key in the query is never accepted": /key in the query is never accepted/,
  "an Idempotency-Key has 1 to 255 characters, quoted or bare":
    /1 to 255 visible ASCII characters.*in double quotes; both forms are the same key/,
  "a repeated create answers the same pet": /key and body, byte for byte, answer the same pet again/,
  "a key is kept 24 hours, if it was not refused":
    /at least 24 hours\. A refused(\\n|\s)create leaves its key free/,
};

describe("The OpenAPI document and the guide of the page state that", () => {
  for (const [decision, words] of Object.entries(STATED)) {
    it(decision, () => {
      expect(words.test(TEXT), String(words)).to.equal(true);
    });
  }
});
