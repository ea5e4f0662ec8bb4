/** A request as a test panel describes it. */
interface PanelRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Field = HTMLInputElement | HTMLSelectElement;

/** Reads the fields of a panel; those left empty are not sent, and a path parameter falls back on its example. */
export function requestOf(panel: HTMLFormElement): PanelRequest {
  let path = panel.dataset.path ?? "";
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const field of panel.querySelectorAll<Field>("[data-in]")) {
    const name = field.dataset.name ?? "";
    const value = field.value.trim();
    if (field.dataset.in === "path") {
      const example = field instanceof HTMLInputElement ? field.placeholder : "";
      path = path.replace(`{${name}}`, encodeURIComponent(value || example));
    } else if (value !== "") {
      if (field.dataset.in === "query") query.set(name, value);
      else headers[name] = value;
    }
  }
  const body = panel.querySelector("textarea")?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const url = location.origin + path + (query.size > 0 ? `?${query}` : "");
  return { method: panel.dataset.method ?? "GET", url, headers, body };
}

export function fetchOptionsOf({ method, headers, body }: PanelRequest, key: string): RequestInit {
  const authorization: Record<string, string> = key === "" ? {} : { Authorization: `Bearer ${key}` };
  return {
    method,
    headers: { ...authorization, ...headers },
    credentials: "omit",
    cache: "no-store",
    ...(body === undefined ? undefined : { body }),
  };
}

/** The request as a shell command. The key stays in a variable, out of what is copied and shown around. */
export function curlOf({ method, url, headers, body }: PanelRequest): string {
  const lines = [`curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`];
  lines.push(`-H "Authorization: Bearer $API_KEY"`);
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** In single quotes a shell takes everything as it is, but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
