import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";

type Value = number | string | readonly string[];

/**
 * A response that keeps its headers in one list, in the form in which `writeHead` takes them. Node's own store makes an
 * object of them first, which takes longer (`docs/decisions/0007-answers.md`). Node checks them at `writeHead`. A header
 * that is set afterwards is not sent, and nothing throws.
 */
export class ListedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  /** Names and values in turn. */
  private readonly list: Value[] = [];

  private placeOf(name: string): number {
    const { list } = this;
    for (let at = 0; at < list.length; at += 2) {
      const other = list[at] as string;
      if (other === name) return at;
      if (other.length === name.length && other.toLowerCase() === name.toLowerCase()) return at;
    }
    return -1;
  }

  override setHeader(name: string, value: Value): this {
    const at = this.placeOf(name);
    if (at < 0) this.list.push(name, value);
    else this.list.splice(at, 2, name, value);
    return this;
  }

  override appendHeader(name: string, value: string | readonly string[]): this {
    const earlier = this.getHeader(name);
    return this.setHeader(name, earlier === undefined ? value : [earlier, value].flat().map(String));
  }

  override getHeader(name: string): number | string | string[] | undefined {
    const at = this.placeOf(name);
    return at < 0 ? undefined : (this.list[at + 1] as number | string | string[]);
  }

  override hasHeader(name: string): boolean {
    return this.placeOf(name) >= 0;
  }

  override removeHeader(name: string): void {
    const at = this.placeOf(name);
    if (at >= 0) this.list.splice(at, 2);
  }

  override getHeaderNames(): string[] {
    return this.list.filter((_, at) => at % 2 === 0).map((name) => (name as string).toLowerCase());
  }

  override getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.getHeaderNames().map((name) => [name, this.getHeader(name)]));
  }

  /** Node calls it, too, before the first bytes of a body. */
  override writeHead(status: number, ...rest: unknown[]): this {
    const more = rest.at(-1);
    if (Array.isArray(more)) {
      for (let at = 0; at < more.length; at += 2) this.removeHeader(more[at]);
      this.list.push(...more);
    } else if (typeof more === "object" && more !== null) {
      for (const [name, value] of Object.entries(more)) this.setHeader(name, value);
    }
    if (typeof rest[0] === "string") this.statusMessage = rest[0];
    return super.writeHead(status, this.list as string[]);
  }
}
