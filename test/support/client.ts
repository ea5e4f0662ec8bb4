import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
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

/** What listens on 127.0.0.1. */
export type Served = { readonly port: number };

/** Sends a request with the test's API key. The answer must be as the API document describes it. */
export async function send(
  { port }: Served,
  method: string,
  path: string,
  { key = API_KEY, headers, body, agent = keptConnections }: RequestOptions = {},
): Promise<Answer> {
  const authorization = key === null ? undefined : { Authorization: `Bearer ${key}` };
  const sent = request({
    ...{ agent, port, host: "127.0.0.1", method, path },
    headers: { ...authorization, ...headers },
  });
  // A service that has answered may reset the rest of the body.
  sent.on("error", () => {}).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = {
    status: response.statusCode as number,
    headers: response.headers as Record<string, string>,
    text: await text(response),
  };
  expectDescribed(method, path, answer);
  return answer;
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
