import { find, showCode } from "./elements.js";
import { keepChoices } from "./kept.js";
import { showSample } from "./sample.js";
import { letSearch } from "./search.js";
import { letTry } from "./try.js";

const examples = [...document.querySelectorAll<HTMLElement>(".example")];
const showSamples = () => examples.forEach(showSample);

keepChoices(showSamples);
for (const example of examples) letTry(example);
showSamples();
letSearch();
followReading();

// The first request goes to the origin of this page; the HTML has the default address.
const first = find(document, "#first-request");
showCode(first, (first.textContent ?? "").replace("http://127.0.0.1:3000", location.origin));

/** Marks in the contents the part that is in view. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("nav a")];
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.find(({ hash }) => hash === `#${target.id}`);
        if (link) link.ariaCurrent = isIntersecting ? "true" : null;
      }
    },
    { rootMargin: "-15% 0px -80% 0px" },
  );
  for (const { hash } of links) observer.observe(find(document, hash));
}
