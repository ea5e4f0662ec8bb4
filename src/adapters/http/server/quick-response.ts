import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import { appendToHead } from "./node-internals.js";

interface Header {
  readonly name: string;
  readonly lowerCase: string;
  readonly value: OutgoingHttpHeader;
  /** As they go over the wire. */
  readonly lines: string;
  /** Whether Node itself acts upon it. */
  readonly ofNode: boolean;
}

/** The first header of each name: most have the same value on every answer, and need checking only once. */
const known = new Map<string, Header>();
const lowerCases = new Map<string, string>();
const MOST_KNOWN = 100;

/** Headers that Node itself acts upon; it looks at no others. */
const OF_NODE = new Set([
  "connection",
  "content-length",
  "date",
  "expect",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

/**
 * Node's response with a store of headers of its own, and an `end` that sends head and body as one string
 * (docs/decisions/0021). docs/decisions/0031 has what they save.
 */
export class QuickResponse extends ServerResponse<IncomingMessage> {
  private readonly headers: Header[] = [];
  private headMade = false;

  override setHeader(name: string, value: OutgoingHttpHeader): this {
    // The method of Node's own class throws then.
    if (this.headMade) return super.setHeader(name, value as string);
    const first = known.get(name);
    const header =
      first?.value === value && typeof value === "string" ? first : makeHeader(name, value, first);
    const index = this.indexOf(header.lowerCase);
    if (index < 0) this.headers.push(header);
    else this.headers[index] = header;
    return this;
  }

  override getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.headers[this.indexOf(lowerCaseOf(name))]?.value;
  }

  override hasHeader(name: string): boolean {
    return this.indexOf(lowerCaseOf(name)) >= 0;
  }

  override removeHeader(name: string): void {
    super.removeHeader(name);
    const index = this.indexOf(lowerCaseOf(name));
    if (index >= 0) this.headers.splice(index, 1);
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    const earlier = this.getHeader(name);
    if (earlier === undefined) return this.setHeader(name, value as OutgoingHttpHeader);
    return this.setHeader(name, [earlier, value].flat().map(String));
  }

  override getHeaderNames(): string[] {
    return this.headers.map(({ lowerCase }) => lowerCase);
  }

  getRawHeaderNames(): string[] {
    return this.headers.map(({ name }) => name);
  }

  override getHeaders(): NodeJS.Dict<OutgoingHttpHeader> {
    const values = Object.create(null);
    for (const { lowerCase, value } of this.headers) values[lowerCase] = value;
    return values;
  }

  override writeHead(status: number, reason?: unknown, given?: unknown): this {
    if (typeof reason === "string") this.statusMessage = reason;
    this.setAll(typeof reason === "string" ? given : reason);
    const fields: string[] = [];
    let lines = "";
    for (const header of this.headers) {
      if (header.ofNode) fields.push(header.name, String(header.value));
      else lines += header.lines;
    }
    // A message in chunks has no length (RFC 9112, section 6.2). `fields` has a name and a value of each
    // header, and most answers have only one header of Node's.
    if (fields.length > 2 && this.hasHeader("Transfer-Encoding")) dropLength(fields);
    super.writeHead(status, fields);
    appendToHead(this, lines);
    this.headMade = true;
    return this;
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    if (typeof chunk !== "string" || rest.length > 0 || this.headersSent || this.req.method === "HEAD") {
      return super.end(...([chunk, ...rest] as unknown[] as []));
    }
    const length = Buffer.byteLength(chunk);
    if (
      !this.hasHeader("Content-Length") &&
      !this.hasHeader("Transfer-Encoding") &&
      !this.hasHeader("Trailer")
    )
      this.setHeader("Content-Length", length);
    this.writeHead(this.statusCode);
    if (this.chunkedEncoding) return super.end(chunk);
    // A head is sent as Latin-1, one byte per character.
    appendToHead(this, "", length === chunk.length ? chunk : Buffer.from(chunk).toString("latin1"));
    return super.end();
  }

  private indexOf(lowerCase: string): number {
    const { headers } = this;
    for (let index = 0; index < headers.length; index++) {
      if ((headers[index] as Header).lowerCase === lowerCase) return index;
    }
    return -1;
  }

  /** Takes what `writeHead` may be given: an object, pairs, or names and values in turn. */
  private setAll(given: unknown): void {
    if (given === undefined || given === null) return;
    const pairs = Array.isArray(given)
      ? Array.isArray(given[0])
        ? given
        : given.flatMap((_, index) => (index % 2 === 0 ? [[given[index], given[index + 1]]] : []))
      : Object.entries(given);
    for (const [name, value] of pairs) this.setHeader(name, value);
  }
}

/** Takes Content-Length out of names and values in turn. */
function dropLength(fields: string[]): void {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toLowerCase() === "content-length");
  if (at >= 0) fields.splice(at, 2);
}

function lowerCaseOf(name: string): string {
  let lowerCase = lowerCases.get(name);
  if (lowerCase === undefined) {
    // A string that was the name of a property: V8 compares two of those by their addresses.
    lowerCase = Object.keys({ [name.toLowerCase()]: 0 })[0] as string;
    if (lowerCases.size < MOST_KNOWN) lowerCases.set(name, lowerCase);
  }
  return lowerCase;
}

/** @throws TypeError if HTTP has no such header */
function makeHeader(name: string, value: OutgoingHttpHeader, first: Header | undefined): Header {
  if (!first) validateHeaderName(name);
  let lines = "";
  if (Array.isArray(value)) for (const one of value) lines += lineOf(name, one);
  else lines = lineOf(name, value);
  const lowerCase = first ? first.lowerCase : lowerCaseOf(name);
  const ofNode = first ? first.ofNode : OF_NODE.has(lowerCase);
  const header = { name, lowerCase, value, lines, ofNode };
  if (!first && known.size < MOST_KNOWN) known.set(name, header);
  return header;
}

function lineOf(name: string, value: string | number): string {
  if (typeof value !== "number") validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}
