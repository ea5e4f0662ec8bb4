import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { exactJson, readApi } from "./api.js";
import { pageHtml } from "./page.js";

// node build.js FOLDER: adds the API document and its page to FOLDER, which already contains the page's scripts.

const [folder = "."] = process.argv.slice(2);
const openapi = "src/adapters/http/docs/openapi.yaml";
const document = parse(readFileSync(openapi, "utf8"), { intAsBigInt: true });
const guide = readFileSync("scripts/page/guide.md", "utf8");
writeFileSync(`${folder}/openapi.json`, `${exactJson(document)}\n`);
writeFileSync(`${folder}/page.html`, pageHtml(readApi(document), guide));
cpSync(openapi, `${folder}/openapi.yaml`);
cpSync("scripts/page/page.css", `${folder}/page.css`);
