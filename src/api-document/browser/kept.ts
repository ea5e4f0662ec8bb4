import { find } from "./elements.js";
import { LANGUAGES, type Language } from "./samples.js";

const keyInput = find<HTMLInputElement>(document, "#key");
const choosers = [...document.querySelectorAll<HTMLSelectElement>(".language")];

export function apiKey(): string {
  return keyInput.value.trim();
}

export function askForKey(): void {
  keyInput.focus();
}

export function chosenLanguage(): Language {
  return (choosers[0]?.value ?? "curl") as Language;
}

/** Keeps the key for this tab alone, and the language, which is no secret, for the next visit. */
export function keepChoices(changed: () => void): void {
  keyInput.value = sessionStorage.getItem("petstore-api-key") ?? "";
  keyInput.addEventListener("input", () => {
    sessionStorage.setItem("petstore-api-key", apiKey());
    changed();
  });
  find(document, "#key-form").addEventListener("submit", (event) => event.preventDefault());

  const kept = localStorage.getItem("petstore-language") ?? "";
  if (kept in LANGUAGES) choose(kept);
  for (const chooser of choosers) {
    chooser.addEventListener("change", () => {
      // The parts above change their height, too: this keeps the chooser at its place on the screen.
      const top = chooser.getBoundingClientRect().top;
      localStorage.setItem("petstore-language", chooser.value);
      choose(chooser.value);
      changed();
      scrollBy({ top: chooser.getBoundingClientRect().top - top, behavior: "instant" });
    });
  }
}

function choose(language: string): void {
  for (const chooser of choosers) chooser.value = language;
}
