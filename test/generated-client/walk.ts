import createClient from "openapi-fetch";
import type { components, paths } from "./out/api.js";

type Pet = components["schemas"]["Pet"];

interface Walk {
  readonly created: Pet;
  readonly location: string | null;
  readonly got: Pet;
  readonly pages: readonly (readonly Pet[])[];
  readonly orders: readonly unknown[];
  readonly refused: components["schemas"]["Error"];
}

/** Creates, gets, pages through the list and meets an error, all with the generated client. */
export async function walk(origin: string, key: string): Promise<Walk> {
  const client = createClient<paths>({
    baseUrl: `${origin}/v1`,
    headers: { Authorization: `Bearer ${key}` },
  });

  const creation = await client.POST("/pets", {
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
    body: { name: "Rex", categoryId: 7, status: "sold" },
  });
  const created = expectData(creation.data);
  for (let n = 0; n < 4; n++) await client.POST("/pets", { body: { name: `Pet ${n}`, categoryId: n } });

  const pages: Pet[][] = [];
  let cursor: string | undefined;
  do {
    const { data, response } = await client.GET("/pets", { params: { query: { limit: 2, cursor } } });
    pages.push(expectData(data));
    cursor = /[?&]cursor=([^&>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  } while (cursor);

  const { data: got } = await client.GET("/pets/{petId}", { params: { path: { petId: created.id } } });
  const { data: orders } = await client.GET("/store/orders");
  const { error } = await client.GET("/pets", { params: { query: { limit: 101 } } });
  if (!error) throw new Error("limit=101 was not refused");
  return {
    created,
    location: creation.response.headers.get("Location"),
    got: expectData(got),
    pages,
    orders: expectData(orders),
    refused: error,
  };
}

function expectData<Data>(data: Data | undefined): Data {
  if (data === undefined) throw new Error("no data in the answer");
  return data;
}
