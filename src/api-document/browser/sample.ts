import { find, showCode } from "./elements.js";
import { apiKey, chosenLanguage } from "./kept.js";
import { type ExampleRequest, sampleOf } from "./samples.js";

/** The request that the fields of an example describe; those left empty are not sent. */
export function requestOf(example: HTMLElement): ExampleRequest {
  const { method = "GET", path: template = "" } = example.dataset;
  let path = template;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const field of example.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-in]")) {
    const { name = "" } = field.dataset;
    const value = field.value.trim();
    if (field.dataset.in === "path") path = template.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && field.dataset.in === "query") query.set(name, value);
    else if (value !== "") headers[name] = value;
  }
  const body = example.querySelector("textarea")?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return { method, url: location.origin + path + (query.size > 0 ? `?${query}` : ""), headers, body };
}

/** Shows the request of an example as it stands: with the fields, the key and the language of the reader. */
export function showSample(example: HTMLElement): void {
  const key = apiKey();
  showCode(find(example, ".sample pre"), sampleOf(chosenLanguage(), requestOf(example), key), key);
}

export function letCopy(example: HTMLElement): void {
  const button = find<HTMLButtonElement>(example, ".copy");
  const pre = find(example, ".sample pre");
  button.addEventListener("click", async () => {
    // Browsers give the clipboard only to secure origins; http://192.168.… is none.
    if (navigator.clipboard) await navigator.clipboard.writeText(`${pre.textContent}\n`);
    else {
      getSelection()?.selectAllChildren(pre);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}
