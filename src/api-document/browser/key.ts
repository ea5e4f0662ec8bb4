import { find } from "./elements.js";

const input = find<HTMLInputElement>(document, "#key");
/** The browser keeps the key for this tab alone, and forgets it with the tab. */
const KEPT_KEY = "petstore-api-key";

export function apiKey(): string {
  return input.value.trim();
}

export function askForKey(): void {
  input.focus();
}

export function keepKey(changed: () => void): void {
  input.value = sessionStorage.getItem(KEPT_KEY) ?? "";
  input.addEventListener("input", () => {
    sessionStorage.setItem(KEPT_KEY, apiKey());
    changed();
  });
  find(document, "#key-form").addEventListener("submit", (event) => event.preventDefault());
}
