import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type Koa from "koa";
import injectRequest from "light-my-request";
import { expectDescribed } from "./described.js";
import { API_KEY } from "./start-app.js";

/** A response as its client sees it. A comma joins the values of a repeated header. */
export interface Answer {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface RequestOptions {
  /** `null` leaves the Authorization header out. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export type Served = { readonly origin: string } | { readonly app: Koa };

/** Sends a request with the test's API key. The API document must describe the response. */
export async function send(
  served: Served,
  method: string,
  path: string,
  { key = API_KEY, headers, body }: RequestOptions = {},
): Promise<Answer> {
  const all = { ...(key !== null && { Authorization: `Bearer ${key}` }), ...headers };
  // Node joins the values of a repeated header in this way.
  const joined = Object.entries(all).map(([name, value]) => [name, [value].flat().join(", ")]);
  const sent = { method, headers: Object.fromEntries(joined) };
  const answer =
    "app" in served
      ? await inject(served.app, path, sent, body)
      : await sendTo(served.origin + path, { ...sent, ...(body && { body }) });
  expectDescribed(method, path, answer);
  return answer;
}

async function sendTo(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}

/** Calls the listener of an application, which cannot tell this from a request over a socket. */
async function inject(
  app: Koa,
  path: string,
  sent: { method: string; headers: IncomingHttpHeaders },
  payload?: string | Buffer,
): Promise<Answer> {
  const serve = app.callback();
  const listener: RequestListener = (req, res) => {
    // The library has replaced the path by a URL.
    req.url = path;
    serve(req, res);
  };
  const options = { ...sent, method: sent.method as "GET", url: "/", ...(payload && { payload }) };
  const answer = await injectRequest(listener, options);
  return {
    status: answer.statusCode,
    headers: answer.headers as Answer["headers"],
    text: answer.payload,
  };
}

export function get(app: Served, path: string, options?: RequestOptions): Promise<Answer> {
  return send(app, "GET", path, options);
}

export function post(app: Served, body: string | Buffer, options: RequestOptions = {}): Promise<Answer> {
  const headers = { "Content-Type": "application/json", ...options.headers };
  return send(app, "POST", "/v1/pets", { ...options, headers, body });
}
