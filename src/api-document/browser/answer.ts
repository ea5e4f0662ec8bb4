import { jsonTokens } from "./json-tokens.js";

/** Shows an answer: its status, how long it took, the headers that the API describes, and the body to the digit. */
export function showAnswer(place: HTMLElement, response: Response, text: string, milliseconds: number): void {
  const { status, headers } = response;
  const line = element("p", "status-line");
  line.append(
    element("span", `status s${String(status).slice(0, 1)}`, String(status)),
    ` in ${Math.max(1, Math.round(milliseconds))} ms`,
  );
  const list = element("dl", "headers");
  for (const name of SHOWN_HEADERS) {
    const value = headers.get(name);
    if (value) list.append(element("dt", "", name), element("dd", "", value));
  }
  const body = element("pre", "json");
  body.tabIndex = 0;
  body.setAttribute("aria-label", "Body of the answer");
  const code = element("code", "");
  for (const token of jsonTokens(text)) {
    code.append(token.kind === "mark" ? token.text : element("span", token.kind, token.text));
  }
  body.append(code);
  place.replaceChildren(line, list, body);
}

/** What HTTP itself adds (Date, Keep-Alive …) is left out. */
const SHOWN_HEADERS = [
  "Link",
  "Location",
  "Idempotency-Replayed",
  "Deprecation",
  "Sunset",
  "WWW-Authenticate",
  "Retry-After",
];

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
