import { find, showTokens } from "../elements.js";
import { apiKey } from "../key.js";
import { chosenLanguage } from "../language.js";
import { sampleOf } from "../text/code-samples.js";
import { codeTokens } from "../text/code-tokens.js";
import { requestOf } from "./request.js";

/** Shows the request of an example as it stands: with the fields, the key and the language of the reader. */
export function showSample(example: HTMLElement): void {
  const key = apiKey();
  const code = sampleOf(chosenLanguage(), requestOf(example), key);
  showTokens(find(example, ".sample pre"), codeTokens(code, key));
}

export function letCopy(example: HTMLElement): void {
  const button = find<HTMLButtonElement>(example, ".copy");
  const pre = find(example, ".sample pre");
  button.addEventListener("click", async () => {
    await copy(pre);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}

async function copy(pre: HTMLElement): Promise<void> {
  // Browsers give the clipboard only to secure origins; http://192.168.… is none.
  if (navigator.clipboard) return navigator.clipboard.writeText(`${pre.textContent}\n`);
  getSelection()?.selectAllChildren(pre);
  document.execCommand("copy");
}
