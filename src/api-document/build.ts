import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { openApiDocument } from "./api-document.js";
import { exactJson } from "./json.js";
import { pageHtml } from "./page/page-html.js";

// Run by `npm run build`: writes the files that `../adapters/http/operations/documents.ts` serves, so that serving them needs no package.

const folder = new URL("./public/", import.meta.url);
mkdirSync(folder, { recursive: true });
const document = openApiDocument();
writeFileSync(new URL("openapi.json", folder), `${exactJson(document)}\n`);
writeFileSync(
  new URL("openapi.yaml", folder),
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 110 }),
);
writeFileSync(new URL("page.html", folder), pageHtml(document));
cpSync(new URL("../../../src/api-document/browser/page.css", import.meta.url), new URL("page.css", folder));
