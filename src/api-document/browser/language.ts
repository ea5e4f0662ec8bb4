import { LANGUAGES, type Language } from "./text/code-samples.js";

/** The browser keeps the choice for the next visit, since it is no secret. */
const KEPT_LANGUAGE = "petstore-language";
const kept = localStorage.getItem(KEPT_LANGUAGE) ?? "";
let chosen: Language = kept in LANGUAGES ? (kept as Language) : "curl";

export function chosenLanguage(): Language {
  return chosen;
}

/** Lets every row of tabs choose the language of all examples. */
export function chooseLanguage(changed: () => void): void {
  const tabs = [...document.querySelectorAll<HTMLElement>("[data-language]")];
  const show = () => {
    for (const tab of tabs) {
      const isChosen = tab.dataset.language === chosen;
      tab.ariaSelected = String(isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen)
        document
          .getElementById(tab.getAttribute("aria-controls") ?? "")
          ?.setAttribute("aria-labelledby", tab.id);
    }
  };
  const choose = (tab: HTMLElement) => {
    // The parts above the tab change their height, too: this keeps the tab at its place on the screen.
    const top = tab.getBoundingClientRect().top;
    chosen = tab.dataset.language as Language;
    localStorage.setItem(KEPT_LANGUAGE, chosen);
    show();
    changed();
    scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: "instant" });
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const row = [...(tab.parentElement as HTMLElement).children] as HTMLElement[];
      const next = row[(row.indexOf(tab) + step + row.length) % row.length] as HTMLElement;
      next.focus();
      choose(next);
    });
  }
  show();
}
