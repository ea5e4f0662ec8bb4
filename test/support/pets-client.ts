import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

/** A key that e2e tests hand to the program as PETSTORE_API_KEY. */
export const E2E_KEY = "petstore_e2e-key";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Not parsed, since a double cannot hold every int64. */
  readonly text: string;
}

/** Lists pets over the agent's connections, without a second try; over a new connection if no agent is given. */
export async function listOver(origin: string, agent = new Agent()): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${E2E_KEY}` };
  const sent = request(`${origin}/v1/pets`, { agent, headers, timeout: 30_000 });
  sent.on("timeout", () => sent.destroy(new Error("no answer"))).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  return response;
}

/** Asks a running program with one key. */
export function petsClient(origin: string, key = E2E_KEY) {
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${key}`, ...init.headers };
    const response = await fetch(origin + path, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  return {
    get: (path: string) => send(path),

    /** Creates a pet, under an idempotency key if one is given. */
    create: (json: string, idempotencyKey?: string) =>
      send("/v1/pets", {
        method: "POST",
        body: json,
        headers: {
          "Content-Type": "application/json",
          ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
        },
      }),

    /** Walks through all pages, and gives the JSON text of every pet. */
    async all(): Promise<string[]> {
      const pets: string[] = [];
      for (let path: string | undefined = "/v1/pets?limit=100"; path; ) {
        const { status, headers, text } = await send(path);
        if (status !== 200) throw new Error(`GET ${path} got ${status} ${text}`);
        pets.push(...(text.match(/\{[^}]*\}/g) ?? []));
        const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
        if (next === path) throw new Error(`GET ${path} links to itself`);
        path = next;
      }
      return pets;
    },
  };
}
