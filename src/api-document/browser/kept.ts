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
  const kept = localStorage.getItem("petstore-language") ?? "";
  return kept in LANGUAGES ? (kept as Language) : "curl";
}

/** Keeps the key for this tab alone, and the language, which is no secret, for the next visit. */
export function keepChoices(changed: () => void): void {
  keyInput.value = sessionStorage.getItem("petstore-api-key") ?? "";
  keyInput.addEventListener("input", () => {
    sessionStorage.setItem("petstore-api-key", apiKey());
    changed();
  });
  for (const chooser of choosers) {
    chooser.value = chosenLanguage();
    chooser.addEventListener("change", () => {
      localStorage.setItem("petstore-language", chooser.value);
      for (const other of choosers) other.value = chooser.value;
      changed();
    });
  }
}
