import { find } from "./elements.js";

/** A part of the page; `name` and `text` are in lower case. */
interface Place {
  readonly link: HTMLElement;
  readonly kind: string;
  readonly name: string;
  /** What the list offers: the name and what it names. */
  readonly offered: string;
  readonly text: string;
}

/** Lets the reader find any part of the page: "/" leads to the field, Enter or a choice from its list to the part. */
export function letSearch(): void {
  const input = find<HTMLInputElement>(document, "#search");
  const places = [...document.querySelectorAll<HTMLElement>("[data-find]")].map(placeOf);
  find(document, "#places").append(...places.map(({ offered }) => new Option(offered)));

  function go({ link }: Place): void {
    input.value = "";
    link.click();
    link.focus({ preventScroll: true });
  }

  input.addEventListener("input", () => {
    input.setCustomValidity("");
    const chosen = places.find(({ offered }) => offered === input.value);
    if (chosen) go(chosen);
  });
  find(document, "#search-form").addEventListener("submit", () => {
    const wanted = input.value.trim().toLowerCase();
    if (wanted === "") return;
    const found = bestOf(places, wanted);
    if (found) return go(found);
    input.setCustomValidity("Nothing has this name.");
    input.reportValidity();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || (event.target as Element).matches("input, select, textarea")) return;
    event.preventDefault();
    input.focus({ preventScroll: true });
  });
}

function placeOf(part: HTMLElement): Place {
  const link = find(part, "a");
  const title = link.innerText.trim();
  const kind = part.dataset.find ?? "";
  const text = part.innerText.toLowerCase();
  return { link, kind, name: title.toLowerCase(), offered: `${title} · ${kind}`, text };
}

const bySize = (one: Place, other: Place) => one.text.length - other.text.length;

/** The place that fits best. The text may be a line of a log: an error code or a header in it is found by its name. */
function bestOf(places: readonly Place[], wanted: string): Place | undefined {
  const words = wanted.split(/[^\w-]+/);
  const fits: ((place: Place) => boolean)[] = [
    ({ name }) => name === wanted,
    ({ name, kind }) => kind === "error code" && words.includes(name),
    ({ name }) => name.includes("-") && words.includes(name),
    ({ name }) => name.startsWith(wanted),
    ({ name }) => name.includes(wanted),
  ];
  const named = fits.map((fit) => places.find(fit)).find(Boolean);
  // Of the parts that hold the text, the smallest.
  return named ?? places.filter(({ text }) => text.includes(wanted)).sort(bySize)[0];
}
