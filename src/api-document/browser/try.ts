import { element, find, showCode } from "./elements.js";
import { exactly } from "./exactly.js";
import { apiKey, askForKey } from "./kept.js";
import { letCopy, requestOf, showSample } from "./sample.js";

/** The headers that an answer is shown with; those of HTTP itself (Date, Keep-Alive …) are left out. */
const SHOWN =
  "Content-Type Link Location Idempotency-Replayed Deprecation Sunset WWW-Authenticate Retry-After X-Request-Id".split(
    " ",
  );

/** Lets the reader copy the request of an example, change it, send it, and see what the answer means. */
export function letTry(example: HTMLElement): void {
  letCopy(example);
  const form = example.querySelector("form");
  if (!form) return;
  const live = find(example, ".live");
  const field = (name: string) => form.querySelector<HTMLInputElement>(`[data-name="${name}"]`);
  const set = (name: string, value: string) => {
    const input = field(name);
    if (input) input.value = value;
    showSample(example);
  };

  async function send(page = 1): Promise<void> {
    live.replaceChildren(element("p", "Waiting for the answer…"));
    const begin = performance.now();
    try {
      const { url, method, headers, body } = requestOf(example);
      const key = apiKey();
      const authorization: Record<string, string> = key === "" ? {} : { Authorization: `Bearer ${key}` };
      const response = await fetch(url, {
        method,
        headers: { ...authorization, ...headers },
        body: body ?? null,
        credentials: "omit",
        cache: "no-store",
      });
      const text = await response.text();
      showCode(find(example, ".answer pre"), wholeAnswer(response, text));
      const took = `${response.status} in ${Math.max(1, Math.round(performance.now() - begin))} ms`;
      live.replaceChildren(...meaning(response, text, took, page));
      live.scrollIntoView({ block: "nearest" });
      if (response.status === 401) askForKey();
    } catch {
      live.replaceChildren(element("p", "No answer: the service could not be reached."));
    }
  }

  function meaning({ ok, headers }: Response, text: string, took: string, page: number): Node[] {
    if (!ok) return [element("p", took), adviceFor(/"code":"(\w+)"/.exec(text)?.[1] ?? "")];
    if (headers.has("Idempotency-Replayed"))
      return [element("p", `${took} · the same pet again, and no second one`)];
    if (!text.startsWith("[")) return [element("p", took)];
    const count = (JSON.parse(text) as unknown[]).length;
    const next = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
    const place = `page ${page}${next ? "" : ", the last one"}`;
    const summary = element("p", `${took} · ${count} ${count === 1 ? "pet" : "pets"} on ${place}`);
    if (next === undefined) return [summary];
    const follow = element("button", "Next page");
    follow.type = "button";
    follow.className = "quiet";
    follow.addEventListener("click", () => {
      set("cursor", next);
      void send(page + 1);
    });
    return [summary, follow];
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  form.addEventListener("input", () => showSample(example));
  // A cursor belongs to its filter.
  field("status")?.addEventListener("change", () => set("cursor", ""));
  form.querySelector(".make-key")?.addEventListener("click", () => set("Idempotency-Key", newKey()));
}

/** An answer as it came: status, headers, and the body to the digit. */
function wholeAnswer({ status, statusText, headers }: Response, text: string): string {
  const shown = SHOWN.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
  return [`HTTP/1.1 ${status} ${statusText}`, ...shown, `\n${exactly(text)}`].join("\n");
}

/** What to do about an error code, from the list of all codes. */
function adviceFor(code: string): Node {
  const link = element("a", code);
  link.href = `#error-${code}`;
  const advice = document.querySelector(`#error-${code} dd`)?.textContent ?? "";
  const line = element("p", link, ` ${advice}`);
  line.className = "advice";
  return line;
}

/** 128 random bits. Browsers have crypto.randomUUID only on secure origins. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
