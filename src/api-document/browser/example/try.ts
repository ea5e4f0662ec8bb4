import { element, find } from "../elements.js";
import { apiKey, askForKey } from "../key.js";
import { linkTo, showAnswer } from "./answer.js";
import { petTable, rowsOf } from "./pet-table.js";
import { fetchOptionsOf, requestOf } from "./request.js";

/** Lets an example send its request, and explains the answer. */
export function letTry(example: HTMLElement, changed: () => void): void {
  const form = example.querySelector("form");
  if (!form) return;
  const answer = find(example, ".answer");
  const live = find(answer, ".live");
  const field = (name: string) => form.querySelector<HTMLInputElement>(`[data-name="${name}"]`);

  async function send(page = 1): Promise<void> {
    live.replaceChildren(line("Waiting for the answer…"));
    const begin = performance.now();
    try {
      const request = requestOf(example);
      const response = await fetch(request.url, fetchOptionsOf(request, apiKey()));
      const body = await response.text();
      showAnswer(answer, response, body);
      const took = `${response.status} in ${Math.max(1, Math.round(performance.now() - begin))} ms`;
      live.replaceChildren(...tell(response, body, took, page));
      live.scrollIntoView({ block: "nearest" });
      if (response.status === 401) askForKey();
    } catch {
      live.replaceChildren(line("No answer: the service could not be reached."));
    }
  }

  function tell(response: Response, body: string, took: string, page: number): Node[] {
    if (!response.ok) {
      return [line(took), linkTo(/"code":"(\w+)"/.exec(body)?.[1] ?? "")];
    }
    if (response.status === 201) return tellCreated(response, took);
    return body.startsWith("[") ? tellPage(response, body, took, page) : [line(took)];
  }

  function tellPage({ headers }: Response, body: string, took: string, page: number): Node[] {
    const count = rowsOf(body).length;
    const next = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
    const last = next === undefined ? ", the last one" : "";
    const summary = line(`${took} · ${count} ${count === 1 ? "pet" : "pets"} on page ${page}${last}`);
    const table = petTable(body);
    if (next === undefined) return count ? [summary, table] : [summary];
    const follow = () => {
      (field("cursor") as HTMLInputElement).value = next;
      changed();
      return send(page + 1);
    };
    return [summary, table, button("Next page", follow)];
  }

  function tellCreated({ headers }: Response, took: string): Node[] {
    if (headers.has("Idempotency-Replayed"))
      return [line(`${took} · the same pet again, and no second one: `, code("Idempotency-Replayed"))];
    if (field("Idempotency-Key")?.value) return [line(`${took} · created`), button("Send it again", send)];
    const second = ", it makes a second pet.";
    return [line(`${took} · created. Sent again without an `, code("Idempotency-Key"), second)];
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  // A cursor belongs to its filter.
  field("status")?.addEventListener("change", () => {
    const cursor = field("cursor");
    if (cursor) cursor.value = "";
  });
  form.querySelector(".make-key")?.addEventListener("click", () => {
    (field("Idempotency-Key") as HTMLInputElement).value = newKey();
    changed();
  });
  form.addEventListener("input", changed);
}

function line(...content: (string | Node)[]): HTMLElement {
  return element("p", "", ...content);
}

function code(text: string): HTMLElement {
  return element("code", "", text);
}

function button(text: string, act: () => Promise<void>): HTMLButtonElement {
  const made = element("button", "quiet", text);
  made.type = "button";
  made.addEventListener("click", () => void act());
  return made;
}

/** 128 random bits. Browsers have crypto.randomUUID only on secure origins. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
