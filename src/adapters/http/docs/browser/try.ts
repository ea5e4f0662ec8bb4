import { find } from "./elements.js";
import { exactly } from "./exactly.js";
import { codeHtml, type Html, html } from "./html.js";
import { apiKey, askForKey, chosenLanguage } from "./kept.js";
import { type ExampleRequest, sampleOf } from "./samples.js";

/** How long to wait for a whole answer, in milliseconds. */
const PATIENCE = 30_000;

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
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(text));
    else if (text !== "" && dataset.in === "query") query.set(name, text);
    else if (text !== "") headers[name] = text;
  }
  const body = example.querySelector("textarea");
  if (body) headers["Content-Type"] = body.dataset.type ?? "";
  const url = location.origin + path + (query.size > 0 ? `?${query}` : "");
  return { method, url, headers, body: body?.value };
}

/** Shows the request of an example as it stands, in the language of the reader. */
export function showSample(example: HTMLElement): void {
  find(example, ".sample pre").innerHTML = codeHtml(sampleOf(chosenLanguage(), requestOf(example))).text;
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
  const set = (
    name: string,
    value: string,
    field = form.querySelector<HTMLInputElement>(`[name="${name}"]`),
  ) => {
    if (field) field.value = value;
  };
  form.addEventListener("input", ({ target }) => {
    // A cursor belongs to its filter, and a key to its body.
    if (target instanceof HTMLSelectElement) set("cursor", "");
    if (target instanceof HTMLTextAreaElement) set("Idempotency-Key", "");
    change(example);
  });
  form.addEventListener("submit", async ({ submitter }) => {
    if (form.ariaBusy) return;
    const { name, value } = submitter as HTMLButtonElement;
    if (name) set(name, value);
    const key = form.querySelector<HTMLInputElement>('[name="Idempotency-Key"]');
    if (key?.value === "") key.value = newKey();
    showSample(example);
    form.ariaBusy = "true";
    await send(example);
    form.ariaBusy = null;
    // The button of the next page has gone with its answer.
    if (name) (example.querySelector<HTMLElement>(".live button") ?? find(form, ":scope > button")).focus();
  });
}

/** Shows a request that has changed; an answer that stands beside it is one to an earlier request. */
function change(example: HTMLElement): void {
  showSample(example);
  const answer = find(example, ".answer");
  if (answer.dataset.state !== "new") return;
  answer.dataset.state = "old";
  find(answer, ".live").innerHTML = "<p>You have changed the request since this answer.</p>";
}

async function send(example: HTMLElement): Promise<void> {
  const answer = find(example, ".answer");
  const live = find(answer, ".live");
  const show = (meaning: Html, whole = "") => {
    answer.dataset.state = "new";
    live.innerHTML = meaning.text;
    find(answer, "pre").innerHTML = codeHtml(whole).text;
    answer.scrollIntoView({ block: "nearest" });
  };
  const asked = requestOf(example);
  const headers = { ...(apiKey() && { Authorization: `Bearer ${apiKey()}` }), ...asked.headers };
  const [unfit] = Object.entries(headers).find(([, value]) => /[^\t -~\x80-\xff]/.test(value)) ?? [];
  if (unfit) {
    const name = unfit === "Authorization" ? "The API key" : unfit;
    return show(html`<p>Not sent. ${name} has a character that no header can carry.</p>`);
  }
  answer.dataset.state = "old";
  live.innerHTML = "<p>Waiting for the answer…</p>";
  const begin = performance.now();
  let response: Response | undefined;
  try {
    const { url, method, body = null } = asked;
    const signal = AbortSignal.timeout(PATIENCE);
    response = await fetch(url, { method, headers, body, signal, credentials: "omit", cache: "no-store" });
    const text = await response.text();
    show(meaning(example, response, text, performance.now() - begin), wholeAnswer(response, text));
  } catch (error) {
    if (response) show(html`<p>The answer broke off.</p>`, wholeAnswer(response, "…"));
    else if ((error as Error).name === "TimeoutError") show(html`<p>No answer in ${PATIENCE / 1000} s.</p>`);
    else show(html`<p>No answer: the service could not be reached.</p>`);
  }
  if (response?.status === 401) askForKey();
  if (JSON.stringify(requestOf(example)) !== JSON.stringify(asked)) change(example);
}

/** An answer as it came: status, headers, and the body to the digit. */
function wholeAnswer({ status, statusText, headers }: Response, text: string): string {
  const shown = SHOWN.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
  return [`${status} ${statusText}`, ...shown, `\n${exactly(text)}`].join("\n");
}

/** What to do about an error, from the list of all codes; where a list goes on. */
function meaning(
  { dataset }: HTMLElement,
  { ok, status, headers }: Response,
  text: string,
  milliseconds: number,
): Html {
  const took = `${status} in ${Math.ceil(milliseconds)} ms`;
  if (!ok) {
    const code = /"code":\s*"(\w+)"/.exec(text)?.[1];
    if (!code)
      return html`<p>${took}</p><p>Not from Petstore: something between it and this page answered.</p>`;
    const advice = document.querySelector(`#error-${code} dd`)?.textContent ?? "";
    return html`<p>${took}</p><p><a href="#error-${code}">${code}</a> ${advice}</p>`;
  }
  if (headers.has("Idempotency-Replayed"))
    return html`<p>${took}, again. To create another, empty the Idempotency-Key.</p>`;
  if (!text.startsWith("[")) return html`<p>${took}</p>`;
  const next = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  if (!next) return html`<p>${took}, the last page</p>`;
  return html`<p>${took}</p><button form="try-${dataset.operation}" name="cursor" value="${next}">Next page</button>`;
}

/** 128 random bits. Browsers have crypto.randomUUID only on secure origins. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
