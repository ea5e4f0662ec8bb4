import { find } from "./elements.js";

interface Place {
  readonly id: string;
  /** In lower case. */
  readonly name: string;
  readonly isCode: boolean;
  /** What the list offers: the name and what it names. */
  readonly offered: string;
  readonly text: string;
}

/** Lets the reader find any part of the page: "/" leads to the field, Enter or a choice from its list to the part. */
export function letSearch(): void {
  const input = find<HTMLInputElement>(document, "#search");
  const places = [...document.querySelectorAll<HTMLElement>("[data-find]")].map(placeOf);
  find(document, "#places").append(...places.map(({ offered }) => new Option(offered)));

  function go({ id }: Place): void {
    input.value = "";
    location.hash = id;
    const part = find(document, `#${id}`);
    part.scrollIntoView();
    find(part, "a").focus({ preventScroll: true });
  }

  input.addEventListener("input", () => {
    input.setCustomValidity("");
    const chosen = places.find(({ offered }) => offered === input.value);
    if (chosen) go(chosen);
  });
  find(document, "#search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const found = bestOf(places, input.value);
    if (found) go(found);
    else if (input.value.trim()) {
      input.setCustomValidity("Nothing has this name.");
      input.reportValidity();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || (event.target as Element).matches("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
  });
}

/** The place that fits best. The text may be a line of a log: an error code or a header in it is found by its name. */
function bestOf(places: readonly Place[], text: string): Place | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return undefined;
  const words = wanted.split(/[^\w-]+/);
  const fits: ((place: Place) => boolean)[] = [
    ({ name }) => name === wanted,
    ({ name, isCode }) => isCode && words.includes(name),
    ({ name }) => name.includes("-") && words.includes(name),
    ({ name }) => name.startsWith(wanted),
    ({ name }) => name.includes(wanted),
    ({ text }) => text.includes(wanted),
  ];
  for (const fit of fits) {
    const found = places.find(fit);
    if (found) return found;
  }
  return undefined;
}

function placeOf(part: HTMLElement): Place {
  const title = (find(part, "a").textContent ?? "").trim();
  const kind = part.dataset.find ?? "";
  return {
    id: part.id,
    name: title.toLowerCase(),
    isCode: kind === "error code",
    offered: `${title} · ${kind}`,
    text: (part.textContent ?? "").toLowerCase(),
  };
}
