import type { ExampleRequest } from "../text/code-samples.js";

type Field = HTMLInputElement | HTMLSelectElement;

/** The request that the fields of an example describe; those left empty are not sent. */
export function requestOf(example: HTMLElement): ExampleRequest {
  const { method = "GET", path: template = "" } = example.dataset;
  let path = template;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const field of example.querySelectorAll<Field>("[data-in]")) {
    const name = field.dataset.name ?? "";
    const value = field.value.trim();
    if (field.dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && field.dataset.in === "query") query.set(name, value);
    else if (value !== "") headers[name] = value;
  }
  const body = example.querySelector("textarea")?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const url = location.origin + path + (query.size > 0 ? `?${query}` : "");
  return { method, url, headers, body };
}

export function fetchOptionsOf({ method, headers, body }: ExampleRequest, key: string): RequestInit {
  const authorization: Record<string, string> = key === "" ? {} : { Authorization: `Bearer ${key}` };
  return {
    method,
    headers: { ...authorization, ...headers },
    credentials: "omit",
    cache: "no-store",
    ...(body === undefined ? undefined : { body }),
  };
}
