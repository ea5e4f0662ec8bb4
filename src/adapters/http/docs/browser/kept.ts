import { find } from "./elements.js";
import { LANGUAGES, type Language } from "./samples.js";

const keyInput = find<HTMLInputElement>(document, "#key");
const choosers = [...document.querySelectorAll<HTMLSelectElement>(".language")];

export function apiKey(): string {
  return keyInput.value.trim();
}

export function askForKey(): void {
  keyInput.focus({ preventScroll: true });
}

export function chosenLanguage(): Language {
  return (choosers[0]?.value ?? "curl") as Language;
}

/** Keeps the key for this tab alone, and the language, which is no secret, for the next visit. */
export function keepChoices(chosen: () => void): void {
  keyInput.value = kept(() => sessionStorage.getItem("petstore-api-key"));
  keyInput.addEventListener("input", () => kept(() => sessionStorage.setItem("petstore-api-key", apiKey())));
  choose(kept(() => localStorage.getItem("petstore-language")));
  for (const chooser of choosers) {
    chooser.addEventListener("change", () => {
      kept(() => localStorage.setItem("petstore-language", chooser.value));
      choose(chooser.value);
      chosen();
    });
  }
}

function choose(language: string): void {
  if (language in LANGUAGES) for (const chooser of choosers) chooser.value = language;
}

/** Uses a store of the browser. If the browser blocks it, the page goes on and forgets. */
function kept(use: () => unknown): string {
  try {
    return String(use() ?? "");
  } catch {
    return "";
  }
}
