import { element, find, showTokens } from "../elements.js";
import { httpTokens } from "../text/http-tokens.js";

/** The headers that an answer is shown with; those of HTTP itself (Date, Keep-Alive …) are left out. */
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

/** Shows an answer whole: its status, the headers that the API describes, and the body to the digit. */
export function showAnswer(
  answer: HTMLElement,
  { status, statusText, headers }: Response,
  body: string,
): void {
  const shown = SHOWN_HEADERS.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value ? [[name, value]] : [];
  });
  showTokens(find(answer, "pre"), httpTokens(`${status} ${statusText}`.trim(), shown, body));
  const chooser = find<HTMLSelectElement>(answer, "select");
  if (!chooser.querySelector("[value=yours]")) chooser.prepend(new Option("your answer", "yours"));
  chooser.value = "yours";
}

/** Lets the reader choose the answer that is shown: success, or an error by its code. */
export function letChooseAnswer(answer: HTMLElement): void {
  const chooser = find<HTMLSelectElement>(answer, "select");
  const pre = find(answer, "pre");
  const live = find(answer, ".live");
  const success = pre.innerHTML;
  let yours: Node[] = [];
  let told: Node[] = [];
  let before = chooser.value;
  chooser.addEventListener("change", () => {
    const code = chooser.value;
    if (before === "yours" || live.textContent !== "")
      [yours, told] = [[...pre.childNodes], [...live.childNodes]];
    before = code;
    live.replaceChildren();
    if (code === "yours") {
      pre.replaceChildren(...yours);
      live.replaceChildren(...told);
    } else if (code === "") pre.innerHTML = success;
    else {
      showError(pre, code, answer.dataset.headers ?? "");
      live.append(linkTo(code));
    }
  });
}

/** Shows the example of a code from the list of all codes, with the headers that this operation adds to every answer. */
function showError(pre: Element, code: string, ownHeaders: string): void {
  const text = document.querySelector(`#error-${code} pre`)?.textContent ?? "";
  const [head = "", body = ""] = text.split("\n\n");
  const [status = "", ...lines] = head.split("\n");
  const headers = [...new Set([...lines, ...ownHeaders.split("\n")])].filter((line) => line !== "");
  showTokens(
    pre,
    httpTokens(
      status.replace("HTTP/1.1 ", ""),
      headers.map((line) => line.split(/: (.*)/) as [string, string]),
      body,
    ),
  );
}

/** The remedy for a code, and a link to more about it. */
export function linkTo(code: string): HTMLElement {
  const link = element("a", "", "More");
  link.href = `#error-${code}`;
  const remedy = document.querySelector(`#error-${code} .remedy`)?.textContent ?? "";
  return element("p", "remedy", `${remedy} `, link);
}
