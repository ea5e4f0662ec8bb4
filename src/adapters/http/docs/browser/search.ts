import { find } from "./elements.js";

/** A part of the page that has a name. */
interface Place {
  readonly link: HTMLElement;
  /** In lower case. */
  readonly name: string;
  /** What the list offers: the name and what it names. */
  readonly offered: string;
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
    const found =
      places.find(({ name }) => name === wanted) ??
      places.find(({ name }) => name.startsWith(wanted)) ??
      places.find(({ name }) => name.includes(wanted));
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
  return { link, name: title.toLowerCase(), offered: `${title} · ${part.dataset.find}` };
}
