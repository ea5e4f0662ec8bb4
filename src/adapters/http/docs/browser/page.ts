import { keepChoices } from "./kept.js";
import { letMark } from "./mark.js";
import { letSearch } from "./search.js";
import { letCopy, letTry, showSample } from "./try.js";

const examples = [...document.querySelectorAll<HTMLElement>(".example")];

keepChoices(() => examples.forEach(showSample));
examples.forEach(letCopy);
examples.forEach(letTry);
examples.forEach(showSample);
letSearch();
letMark();
