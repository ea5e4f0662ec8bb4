import { type ApiRequest, curlCommand } from "./curl.js";
import { indentJson } from "./json.js";

const SHOWN_HEADERS = [
  "Content-Type",
  "Link",
  "Location",
  "Idempotency-Replayed",
  "Deprecation",
  "Sunset",
  "WWW-Authenticate",
  "Retry-After",
  "X-Request-Id",
];

/** The common prefix of /docs and /v1: a proxy may serve both under a path. */
const BASE = location.origin + location.pathname.slice(0, location.pathname.lastIndexOf("/"));

for (const panel of document.querySelectorAll<HTMLElement>(".panel")) {
  showCurl(panel);
  const form = panel.querySelector("form");
  form?.addEventListener("input", () => showCurl(panel));
  form?.addEventListener("click", (event) => {
    // Ignores the second click of a double click.
    if (event.detail > 1) event.preventDefault();
  });
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(panel);
  });
}

function showCurl(panel: HTMLElement): void {
  find(panel, ".curl code").textContent = curlCommand(requestOf(panel));
}

/** Returns the request that the non-empty fields of a panel describe. */
function requestOf(panel: HTMLElement): ApiRequest {
  const { method = "", path: template = "" } = panel.dataset;
  let path = template;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, value, dataset } of panel.querySelectorAll<HTMLInputElement>("[data-in]")) {
    if (value === "") continue;
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === "query") query.set(name, value);
    else headers[name] = value;
  }
  const body = panel.querySelector("textarea");
  if (body) headers["Content-Type"] = "application/json";
  const url = BASE + path + (query.size > 0 ? `?${query}` : "");
  return { method, url, headers, body: body?.value };
}

/** Sends the request of a panel, unless the previous one is still in flight, and shows the response. */
async function send(panel: HTMLElement): Promise<void> {
  if (panel.ariaBusy) return;
  const required = panel.querySelectorAll<HTMLInputElement>(":required");
  const missing = [...required].find(({ value }) => value.trim() === "");
  if (missing) {
    show(panel, [`Not sent: ${missing.name} is missing.`]);
    missing.focus();
    return;
  }
  const { url, method, headers, body = null } = requestOf(panel);
  const key = find<HTMLInputElement>(document, "#key").value.trim();
  const sent = { ...headers, ...(key && { Authorization: `Bearer ${key}` }) };
  // fetch accepts only ISO 8859-1 without control characters.
  const [invalid] = Object.entries(sent).find(([, value]) => !/^[\t -~\x80-\xff]*$/.test(value)) ?? [];
  if (invalid) {
    const name = invalid === "Authorization" ? "The API key" : invalid;
    return show(panel, [`Not sent: ${name} contains a character that no HTTP header can carry.`]);
  }
  panel.ariaBusy = "true";
  const start = performance.now();
  try {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(url, { method, headers: sent, body, signal });
    const text = await response.text();
    const status = document.createElement("b");
    status.textContent = `${response.status} ${response.statusText}`;
    if (!response.ok) status.className = "highlight";
    const time = ` in ${Math.ceil(performance.now() - start)} ms. `;
    show(panel, [status, time, ...explain(panel, response, text)], wholeText(response, text));
  } catch (error) {
    const isTimeout = (error as Error).name === "TimeoutError";
    show(panel, [isTimeout ? "No response within 30 s." : "No response: the connection failed."]);
  }
  panel.ariaBusy = null;
}

function show(panel: HTMLElement, status: (Node | string)[], text = ""): void {
  find(panel, "[role=status]").replaceChildren(...status);
  find(panel, ".response code").textContent = text;
  find(panel, ".response").scrollIntoView({ block: "nearest" });
}

/** Returns the remedy for an error, or a button for the next page. */
function explain(panel: HTMLElement, { ok, status, headers }: Response, text: string): (Node | string)[] {
  if (ok && isJson(headers)) {
    const [, cursor] = /[?&]cursor=([^&>]*).*rel="next"/.exec(headers.get("Link") ?? "") ?? [];
    return cursor ? [nextButton(panel, cursor)] : [];
  }
  const [, code = ""] = /"code":\s*"(\w+)"/.exec(text) ?? [];
  const advice = document.querySelector(`#error-${code} dd`)?.textContent;
  if (!advice) return ["Not from Petstore: something in front of it, such as a proxy, sent this response."];
  const explained = [link(code, `#error-${code}`), `: ${advice}`];
  if (status !== 401) return explained;
  return [...explained, " On this page, enter it under ", link("API key", "#key"), "."];
}

function nextButton(panel: HTMLElement, cursor: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.textContent = "Next page";
  button.addEventListener("click", async () => {
    find<HTMLInputElement>(panel, "[name=cursor]").value = cursor;
    showCurl(panel);
    await send(panel);
    // This button disappears with its response.
    (panel.querySelector<HTMLElement>("[role=status] button") ?? find(panel, "form button")).focus();
  });
  return button;
}

function wholeText({ headers }: Response, text: string): string {
  const names = SHOWN_HEADERS.filter((name) => headers.has(name));
  const lines = names.map((name) => `${name}: ${headers.get(name)}`);
  return `${lines.join("\n")}\n\n${isJson(headers) ? indentJson(text) : text}`;
}

function isJson(headers: Headers): boolean {
  return headers.get("Content-Type") === "application/json";
}

function link(textContent: string, href: string): HTMLAnchorElement {
  return Object.assign(document.createElement("a"), { textContent, href });
}

function find<Found extends Element = HTMLElement>(within: ParentNode, selector: string): Found {
  return within.querySelector<Found>(selector) as Found;
}
