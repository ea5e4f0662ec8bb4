import { expectDescribed } from "./described.js";

// Mocha loads this before any suite, so that answers to `fetch` must be as the API document describes them,
// too.

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const { protocol, pathname, search } = new URL(response.url);
  // The document does not describe other servers of tests, or a proxy in front.
  const ofService =
    protocol === "http:" && response.headers.has("x-request-id") && !response.headers.has("server");
  if (ofService && /^\/v1(\/|$)/.test(pathname)) {
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const text = await response.clone().text();
    // The admin port serves none of the API's paths.
    const path = text.includes('"route_not_found"') ? undefined : pathname + search;
    expectDescribed(method, path, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
    });
  }
  return response;
};
