import { element, find } from "./elements.js";
import { reveal } from "./folds.js";
import { type Entry, search } from "./text/search-index.js";

/** Lets the reader find any part of the page by the keyboard alone: "/" or Ctrl-K. */
export function letSearch(): void {
  const dialog = find<HTMLDialogElement>(document, "#search");
  const input = find<HTMLInputElement>(dialog, "input");
  const list = find(dialog, "ul");
  let entries: Entry[] | undefined;
  let chosen = 0;

  function open(): void {
    entries ??= readEntries();
    dialog.showModal();
    input.select();
    show();
  }

  function show(): void {
    chosen = 0;
    const found = search(entries ?? [], input.value);
    list.replaceChildren(...found.map(option));
    if (found.length === 0 && input.value.trim() !== "")
      list.append(element("li", "none", "Nothing has this name."));
    mark();
  }

  function option({ id, title, kind }: Entry, index: number): HTMLElement {
    const item = element("li", "", element("b", "", title), " ", element("span", "", kind));
    item.id = `found-${index}`;
    item.role = "option";
    item.dataset.id = id;
    item.addEventListener("click", () => go(item));
    return item;
  }

  function mark(): void {
    const options = list.querySelectorAll<HTMLElement>("[role=option]");
    for (const [index, item] of options.entries()) item.ariaSelected = String(index === chosen);
    const current = options[chosen];
    current?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", current?.id ?? "");
  }

  function go(item: HTMLElement | undefined): void {
    if (!item?.dataset.id) return;
    dialog.close();
    const hash = `#${item.dataset.id}`;
    location.hash = hash;
    reveal(hash);
    const target = find(document, hash);
    find(target, "summary, a, h2").focus({ preventScroll: true });
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const options = list.querySelectorAll<HTMLElement>("[role=option]");
    if (event.key === "Enter") {
      event.preventDefault();
      return go(options[chosen]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || options.length === 0) return;
    event.preventDefault();
    chosen = (chosen + step + options.length) % options.length;
    mark();
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  find(document, "#search-button").addEventListener("click", open);
  addEventListener("keydown", (event) => {
    const isTyping = (event.target as Element).matches("input, select, textarea");
    const asks = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!asks || dialog.open) return;
    event.preventDefault();
    open();
  });
}

function readEntries(): Entry[] {
  return [...document.querySelectorAll<HTMLElement>("[data-find]")].map((part) => ({
    id: part.id,
    title: (part.querySelector("h2 a, h3, code")?.textContent ?? "").trim(),
    kind: part.dataset.find ?? "",
    text: part.textContent ?? "",
  }));
}
