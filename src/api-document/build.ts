import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { openApiDocument } from "./api-document.js";
import { exactJson } from "./json.js";
import { pageHtml } from "./page/page-html.js";

// `npm run build` runs this after it has built the page's scripts. This writes the other files that
// `../adapters/http/operations/documents.ts` serves, so that serving them needs no package.

const folder = new URL("./public/", import.meta.url);
mkdirSync(folder, { recursive: true });
const document = openApiDocument();
const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js"))
  .sort((a, b) => Number(b === "page.js") - Number(a === "page.js"))
  .map((name) => `/docs/${name}`);
writeFileSync(new URL("openapi.json", folder), `${exactJson(document)}\n`);
writeFileSync(
  new URL("openapi.yaml", folder),
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 110 }),
);
writeFileSync(new URL("page.html", folder), pageHtml(document, scripts));

/** The style sheets of the page, joined into one in this order: a later one may override rules of an earlier one. */
const STYLES = [
  "base",
  "controls",
  "frame",
  "text",
  "code",
  "fields",
  "folds",
  "example",
  "answer",
  "search",
  "narrow",
  "preferences",
];
const styles = STYLES.map((name) => new URL(`../../../src/api-document/style/${name}.css`, import.meta.url));
writeFileSync(new URL("page.css", folder), styles.map((file) => readFileSync(file, "utf8")).join(""));
