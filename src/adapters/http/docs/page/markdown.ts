import { marked } from "marked";
import { Html } from "../browser/html.js";

/** The HTML of a description (CommonMark). */
export function markdown(text = ""): Html {
  return new Html(marked.parse(text, { async: false }).trim());
}
