import { once } from "node:events";
import {
  type Agent,
  type RequestOptions as HttpOptions,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
} from "node:http";
import { text } from "node:stream/consumers";
import injectRequest from "light-my-request";
import type { KoaApp } from "../../src/adapters/http/koa-app.js";
import { expectDescribed } from "./described.js";
import { keptConnections } from "./kept-connections.js";
import { API_KEY } from "./start-app.js";

/** An answer as its client sees it. The values of a repeated header are joined by a comma. */
export interface Answer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface RequestOptions {
  /** `null` leaves the Authorization header out. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The body, which is sent with its length. */
  readonly body?: string | Buffer;
  /** The connections to use; `false` opens a new one. */
  readonly agent?: Agent | false;
}

/** What listens on 127.0.0.1, or an application, which answers without a socket. */
export type Served = { readonly port: number } | { readonly app: KoaApp };

/** Sends a request with the test's API key. The answer must be as the API document describes it. */
export async function send(
  served: Served,
  method: string,
  path: string,
  { key = API_KEY, headers, body, agent = keptConnections }: RequestOptions = {},
): Promise<Answer> {
  const authorization = key === null ? undefined : { Authorization: `Bearer ${key}` };
  const sent = { method, path, headers: { ...authorization, ...headers } };
  const answer =
    "port" in served
      ? await sendTo({ ...sent, agent, host: "127.0.0.1", port: served.port }, body)
      : await inject(served.app, sent, body);
  expectDescribed(method, path, answer);
  return answer;
}

async function sendTo(options: HttpOptions, body?: string | Buffer): Promise<Answer> {
  const sent = request(options);
  // A service that has answered may reset the rest of the body.
  sent.on("error", () => {}).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const headers = response.headers as Record<string, string>;
  return { status: response.statusCode as number, headers, text: await text(response) };
}

/** Calls the listener of an application, which cannot tell this from a request over a socket. */
async function inject(app: KoaApp, sent: HttpOptions, body?: string | Buffer): Promise<Answer> {
  const serve = app.callback();
  const { path, method, headers } = sent as { path: string; method: "GET"; headers: OutgoingHttpHeaders };
  // Node joins the values of a repeated header so.
  const joined = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  const listener: RequestListener = (req, res) => {
    // The library has made a URL of it.
    req.url = path;
    serve(req, res);
  };
  const options = { url: "/", method, headers: Object.fromEntries(joined), ...(body && { payload: body }) };
  const { statusCode, headers: received, payload } = await injectRequest(listener, options);
  return { status: statusCode, headers: received as Answer["headers"], text: payload };
}

export function get(app: Served, path: string, options?: RequestOptions): Promise<Answer> {
  return send(app, "GET", path, options);
}

/** Creates a pet from a body, which is sent as JSON unless `options` say otherwise. */
export function post(app: Served, body: string | Buffer, options: RequestOptions = {}): Promise<Answer> {
  const headers = { "Content-Type": "application/json", ...options.headers };
  return send(app, "POST", "/v1/pets", { ...options, headers, body });
}

/** Walks through all pages, and gives the JSON text of every pet: a double cannot hold every int64. */
export async function allPets(app: Served, options?: RequestOptions): Promise<string[]> {
  const pets: string[] = [];
  for (let path: string | undefined = "/v1/pets?limit=100"; path; ) {
    const { status, headers, text } = await get(app, path, options);
    if (status !== 200) throw new Error(`GET ${path} got ${status} ${text}`);
    pets.push(...(text.match(/\{[^}]*\}/g) ?? []));
    const [, next]: string[] = /<([^>]+)>; rel="next"/.exec(headers.link ?? "") ?? [];
    if (next === path) throw new Error(`GET ${path} links to itself`);
    path = next;
  }
  return pets;
}
