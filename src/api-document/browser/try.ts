import { find } from "./elements.js";
import { exactly } from "./exactly.js";
import { codeHtml, type Html, html } from "./html.js";
import { apiKey, askForKey, chosenLanguage } from "./kept.js";
import { type ExampleRequest, sampleOf } from "./samples.js";

/** The headers that an answer is shown with; those of HTTP itself (Date, Keep-Alive …) are left out. */
const SHOWN =
  "Content-Type Link Location Idempotency-Replayed Deprecation Sunset WWW-Authenticate Retry-After X-Request-Id".split(
    " ",
  );

/** The request that the fields of an example describe; those left empty are not sent. */
function requestOf(example: HTMLElement): ExampleRequest {
  const { method = "GET", path: template = "" } = example.dataset;
  let path = template;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, value, dataset } of example.querySelectorAll<HTMLInputElement>("[data-in]")) {
    const text = value.trim();
    if (dataset.in === "path") path = template.replace(`{${name}}`, encodeURIComponent(text));
    else if (text !== "" && dataset.in === "query") query.set(name, text);
    else if (text !== "") headers[name] = text;
  }
  const body = example.querySelector("textarea")?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return { method, url: location.origin + path + (query.size > 0 ? `?${query}` : ""), headers, body };
}

/** Shows the request of an example as it stands: with the fields, the key and the language of the reader. */
export function showSample(example: HTMLElement): void {
  const sample = sampleOf(chosenLanguage(), requestOf(example), apiKey());
  find(example, ".sample pre").innerHTML = codeHtml(sample, apiKey()).text;
}

export function letCopy(example: HTMLElement): void {
  const button = find(example, ".copy");
  button.addEventListener("click", () => {
    getSelection()?.selectAllChildren(find(example, ".sample pre"));
    // Browsers have navigator.clipboard only on secure origins, and http://192.168.… is none.
    if (!document.execCommand("copy")) return;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}

/** Lets the reader change the request of an example, send it, and see what the answer means. */
export function letTry(example: HTMLElement): void {
  const form = example.querySelector("form");
  if (!form) return;
  const set = (name: string, value: string) => {
    find<HTMLInputElement>(form, `[name="${name}"]`).value = value;
    showSample(example);
  };
  form.addEventListener("input", () => showSample(example));
  form.addEventListener("submit", ({ submitter }) => {
    const { name, value } = submitter as HTMLButtonElement;
    if (name) set(name, value);
    void send(example);
  });
  // A cursor belongs to its filter.
  if (form.querySelector('[name="cursor"]'))
    form.addEventListener("change", ({ target }) => {
      if ((target as Element).matches("select")) set("cursor", "");
    });
  form.querySelector(".make-key")?.addEventListener("click", () => set("Idempotency-Key", newKey()));
}

async function send(example: HTMLElement): Promise<void> {
  const live = find(example, ".live");
  live.innerHTML = "<p>Waiting for the answer…</p>";
  const begin = performance.now();
  try {
    const { url, method, headers, body } = requestOf(example);
    const response = await fetch(url, {
      method,
      headers: { ...(apiKey() && { Authorization: `Bearer ${apiKey()}` }), ...headers },
      body: body ?? null,
      credentials: "omit",
      cache: "no-store",
    });
    const text = await response.text();
    find(example, ".answer pre").innerHTML = codeHtml(wholeAnswer(response, text)).text;
    live.innerHTML = meaning(example, response, text, performance.now() - begin).text;
    live.scrollIntoView({ block: "nearest" });
    if (response.status === 401) askForKey();
  } catch {
    live.innerHTML = "<p>No answer: the service could not be reached.</p>";
  }
}

/** An answer as it came: status, headers, and the body to the digit. */
function wholeAnswer({ status, statusText, headers }: Response, text: string): string {
  const shown = SHOWN.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
  return [`HTTP/1.1 ${status} ${statusText}`, ...shown, `\n${exactly(text)}`].join("\n");
}

/** What to do about an error, from the list of all codes; where a list goes on. */
function meaning(
  { dataset }: HTMLElement,
  { ok, status, headers }: Response,
  text: string,
  milliseconds: number,
): Html {
  const took = `${status} in ${Math.ceil(milliseconds)} ms`;
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  if (!ok && code) {
    const advice = document.querySelector(`#error-${code} dd`)?.textContent ?? "";
    return html`<p>${took}</p><p><a href="#error-${code}">${code}</a> ${advice}</p>`;
  }
  if (!text.startsWith("[")) return html`<p>${took}</p>`;
  const next = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  if (!next) return html`<p>${took}, the last page</p>`;
  return html`<p>${took}</p><button class="quiet" form="try-${dataset.operation}" name="cursor" value="${next}">Next page</button>`;
}

/** 128 random bits. Browsers have crypto.randomUUID only on secure origins. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
