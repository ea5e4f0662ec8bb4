import { keepChoices } from "./kept.js";
import { letSearch } from "./search.js";
import { letCopy, letTry, showSample } from "./try.js";

const examples = [...document.querySelectorAll<HTMLElement>(".example")];
const showSamples = () => examples.forEach(showSample);

keepChoices(showSamples);
showSamples();
examples.forEach(letCopy);
examples.forEach(letTry);
letSearch();
