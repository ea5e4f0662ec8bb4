import { followReading } from "./contents.js";
import { find } from "./elements.js";
import { letChooseAnswer } from "./example/answer.js";
import { letCopy, showSample } from "./example/show-sample.js";
import { letTry } from "./example/try.js";
import { openFolds } from "./folds.js";
import { keepKey } from "./key.js";
import { chooseLanguage } from "./language.js";
import { letSearch } from "./search.js";

const examples = [...document.querySelectorAll<HTMLElement>(".example")];
const showSamples = () => examples.forEach(showSample);

keepKey(showSamples);
chooseLanguage(showSamples);
for (const example of examples) {
  letCopy(example);
  letChooseAnswer(find(example, ".answer"));
  letTry(example, () => showSample(example));
}
showSamples();
openFolds();
letSearch();
followReading();

// The first request goes to the origin of this page; the document has the default address.
const firstRequest = document.querySelector("#first-request ~ pre code");
if (firstRequest?.textContent) {
  firstRequest.textContent = firstRequest.textContent.replace("http://127.0.0.1:3000", location.origin);
}
