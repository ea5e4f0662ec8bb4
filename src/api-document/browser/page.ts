import { showAnswer } from "./answer.js";
import { curlOf, fetchOptionsOf, requestOf } from "./request.js";

const keyInput = document.querySelector<HTMLInputElement>("#key") as HTMLInputElement;

/** The key is kept for this tab alone, and forgotten with it. */
const KEPT_KEY = "petstore-api-key";
keyInput.value = sessionStorage.getItem(KEPT_KEY) ?? "";
keyInput.addEventListener("input", () => sessionStorage.setItem(KEPT_KEY, keyInput.value.trim()));
document.querySelector("#key-form")?.addEventListener("submit", (event) => event.preventDefault());

for (const panel of document.querySelectorAll<HTMLFormElement>("form.panel")) {
  const curl = panel.querySelector(".curl code") as HTMLElement;
  const answer = panel.querySelector(".answer") as HTMLElement;
  const next = panel.querySelector(".next") as HTMLButtonElement;
  const showCurl = () => {
    curl.textContent = curlOf(requestOf(panel));
  };
  panel.addEventListener("input", showCurl);
  showCurl();

  async function send(): Promise<void> {
    const request = requestOf(panel);
    answer.replaceChildren("Waiting for the answer…");
    next.hidden = true;
    const begin = performance.now();
    try {
      const response = await fetch(request.url, fetchOptionsOf(request, keyInput.value.trim()));
      const text = await response.text();
      showAnswer(answer, response, text, performance.now() - begin);
      const cursor = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      next.hidden = cursor === undefined;
      next.dataset.cursor = cursor ?? "";
      if (response.status === 401) keyInput.focus();
    } catch {
      answer.replaceChildren("No answer: the service could not be reached.");
    }
  }

  panel.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  next.addEventListener("click", () => {
    const cursor = panel.querySelector<HTMLInputElement>('[data-name="cursor"]') as HTMLInputElement;
    cursor.value = next.dataset.cursor ?? "";
    showCurl();
    void send();
  });
}

// The first request goes to where this page comes from; the document has the default address.
const firstRequest = document.querySelector("#first-request ~ pre code");
if (firstRequest?.textContent) {
  firstRequest.textContent = firstRequest.textContent.replace("http://127.0.0.1:3000", location.origin);
}

// A narrow page begins with its contents folded away; a link unfolds what it leads to.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details")?.removeAttribute("open");

// Tells in the contents which part is being read.
const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('nav a[href^="#"]')].map((link) => [
    link.hash.slice(1),
    link,
  ]),
);
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const id of links.keys()) {
  const target = document.getElementById(id);
  if (target) observer.observe(target);
}
