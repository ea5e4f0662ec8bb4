import { expectDescribed } from "./described.js";

/** A key that e2e tests hand to the program as PETSTORE_API_KEY. */
export const E2E_KEY = "petstore_e2e-key";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Not parsed, since a double cannot hold every int64. */
  readonly text: string;
}

/** Asks a running program with one key. The answers must be as the API document describes them. */
export function petsClient(origin: string, key = E2E_KEY) {
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${key}`, ...init.headers };
    const response = await fetch(origin + path, { ...init, headers });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    expectDescribed(init.method ?? "GET", path, { ...answer, headers: Object.fromEntries(response.headers) });
    return answer;
  }
  return {
    get: (path: string) => send(path),

    create: (json: string) =>
      send("/v1/pets", { method: "POST", body: json, headers: { "Content-Type": "application/json" } }),

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
