import createClient from "openapi-fetch";
import type { paths } from "./out/api.js";

declare const process: { readonly env: Readonly<Record<string, string>> };
const { ORIGIN, API_KEY } = process.env;
const client = createClient<paths>({
  baseUrl: `${ORIGIN}/v1`,
  headers: { Authorization: `Bearer ${API_KEY}` },
});

/** The types say `number`, which cannot hold every int64: this writes a bigint digit for digit. */
function bodySerializer(body: unknown): string {
  const text = JSON.stringify(body, (_, value) => (typeof value === "bigint" ? `int64:${value}` : value));
  return text.replace(/"int64:(-?\d+)"/g, "$1");
}

const created = await client.POST("/pets", {
  body: { name: "Rex", categoryId: 9223372036854775807n as unknown as number },
  bodySerializer,
  parseAs: "text",
});
const list = await client.GET("/pets", { params: { query: { status: "available" } } });
const missing = await client.GET("/pets/{petId}", { params: { path: { petId: 7000 } } });
const result = {
  categoryId: /"categoryId":(\d+)/.exec(created.data ?? "")?.[1],
  names: list.data?.map(({ name }) => name),
  code: missing.error?.code,
};
console.log(JSON.stringify(result));
