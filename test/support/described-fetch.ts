import { expectDescribed } from "./described.js";

// Loaded by mocha before any suite: what a test receives by `fetch` is held to the API document like the rest.

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const { protocol, pathname, search } = new URL(response.url);
  // Of other servers in tests, and of a proxy in front, the document says nothing.
  const ofService =
    protocol === "http:" && response.headers.has("x-request-id") && !response.headers.has("server");
  if (ofService && /^\/v1(\/|$)/.test(pathname)) {
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const text = await response.clone().text();
    // The admin port has nothing at the paths of the API.
    const path = text.includes('"route_not_found"') ? undefined : pathname + search;
    expectDescribed(method, path, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
    });
  }
  return response;
};
