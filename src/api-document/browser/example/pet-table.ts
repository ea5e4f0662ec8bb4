import { element } from "../elements.js";
import { jsonTokens } from "../text/json-tokens.js";

/** Pets of a list as a table. Numbers go from the text of the answer to the table as text: no digit is lost. */
export function petTable(json: string): HTMLTableElement {
  const rows = rowsOf(json);
  const names = ["id", "name", "categoryId", "status"];
  const head = element("tr", "", ...names.map((name) => heading(name)));
  const body = rows.map((row) =>
    element("tr", "", ...names.map((name) => element("td", name, row[name] ?? ""))),
  );
  return element("table", "pets", element("thead", "", head), element("tbody", "", ...body));
}

/** The members of each object of a JSON array, as text. */
export function rowsOf(json: string): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  let name = "";
  for (const { kind, text } of jsonTokens(json)) {
    if (text === "{") rows.push({});
    else if (kind === "name") name = JSON.parse(text);
    else if (kind !== "mark") (rows.at(-1) ?? {})[name] = kind === "string" ? JSON.parse(text) : text;
  }
  return rows;
}

function heading(name: string): HTMLElement {
  const cell = element("th", "", name);
  cell.scope = "col";
  return cell;
}
