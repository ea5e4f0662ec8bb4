import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import { exactJson, readApi } from "./api.js";
import { pageHtml } from "./page.js";

// `npm run build` runs this after compiling the scripts of the page into `public`, the folder that is served.

const SOURCE = new URL("../../../../../src/adapters/http/docs/", import.meta.url);
const PUBLIC = new URL("./public/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, SOURCE), "utf8");
const write = (name: string, text: string) => writeFileSync(new URL(name, PUBLIC), text);

mkdirSync(PUBLIC, { recursive: true });
const document = parse(read("openapi.yaml"), { intAsBigInt: true });
write("openapi.json", `${exactJson(document)}\n`);
write("page.html", pageHtml(readApi(document), read("guide.md")));
for (const name of ["openapi.yaml", "page.css"]) copyFileSync(new URL(name, SOURCE), new URL(name, PUBLIC));
