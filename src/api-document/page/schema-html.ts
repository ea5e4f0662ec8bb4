import type { JsonObject } from "../json.js";
import { type Html, html } from "./html.js";
import { markdown, usualAndEdge } from "./markdown.js";
import { resolve, typeHtml } from "./type-html.js";

/** The members of an object schema, each with an anchor that begins with `prefix`. */
export function membersHtml(document: JsonObject, schema: JsonObject, prefix: string, kind: string): Html {
  const required = (schema.required ?? []) as readonly string[];
  const members = Object.entries((schema.properties ?? {}) as JsonObject);
  return html`<dl class="fields">${members.map(([name, member]) =>
    fieldHtml(document, {
      id: `${prefix}-${name}`,
      kind,
      name,
      schema: member,
      description: resolve(document, member).description,
      required: required.includes(name) && "required",
    }),
  )}</dl>`;
}

interface Field {
  readonly id: string;
  /** The word for its kind in search. */
  readonly kind: string;
  readonly name: string;
  readonly schema: unknown;
  readonly description: unknown;
  readonly required: "required" | "always sent" | false;
  readonly place?: string;
}

/** One parameter, member or header: its name, shape and meaning, with a folded part for careful readers. */
export function fieldHtml(document: JsonObject, field: Field): Html {
  const { usual, edge } = usualAndEdge(field.description);
  return html`
<div id="${field.id}" data-find="${field.kind}"><dt><a href="#${field.id}"><code>${field.name}</code></a>${
    field.place ? html` <span class="place">${field.place}</span>` : ""
  }${field.required ? html` <span class="required">${field.required}</span>` : ""} <span class="shape">${typeHtml(document, field.schema)}</span></dt><dd>${markdown(usual)}${
    edge
      ? html`<details class="edge"><summary>Exactly<span class="visually-hidden">: ${field.name}</span></summary>${markdown(edge)}</details>`
      : ""
  }</dd></div>`;
}
