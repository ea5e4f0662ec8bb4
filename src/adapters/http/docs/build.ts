import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { exactJson } from "./exact-json.js";
import { pageHtml } from "./page/page.js";

// `npm run build` runs this after it has built the page's scripts into `public`. This writes the other files that
// `../documents.ts` serves, so that serving them needs no package.

const SOURCE = new URL("../../../../../src/adapters/http/docs/", import.meta.url);
const PUBLIC = new URL("./public/", import.meta.url);

mkdirSync(PUBLIC, { recursive: true });
const document = parse(readFileSync(new URL("openapi.yaml", SOURCE), "utf8"), { intAsBigInt: true });
const guide = readFileSync(new URL("guide.md", SOURCE), "utf8");
const scripts = readdirSync(PUBLIC).filter((name) => name.endsWith(".js"));

copyFileSync(new URL("openapi.yaml", SOURCE), new URL("openapi.yaml", PUBLIC));
writeFileSync(new URL("openapi.json", PUBLIC), `${exactJson(document)}\n`);
copyFileSync(new URL("page.css", SOURCE), new URL("page.css", PUBLIC));
writeFileSync(new URL("page.html", PUBLIC), pageHtml(document, guide, scripts));
