/** Every measured server accepts this key. */
export const API_KEY = "petstore_benchmark-key-0123456789abcdef";

/** How many pets every server holds when the measurements start. */
const PETS = 1000;

const STATUSES = ["available", "pending", "sold"] as const;

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Operation {
  readonly name: string;
  /** The status of every answer. */
  readonly status: number;
  /** Each connection sends them in turn. */
  readonly requests: readonly Request[];
  /** The body of the answer to the first request, once a server has its pets; not compared if it is undefined. */
  readonly body?: unknown;
}

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };

const get = (path: string): Request => ({ method: "GET", path, headers: AUTHORIZATION });

const post = (body: object): Request => ({
  method: "POST",
  path: "/v1/pets",
  headers: { ...AUTHORIZATION, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

export const newPet = (id: number) => ({
  name: `Pet ${id}`,
  categoryId: id,
  status: STATUSES[id % STATUSES.length] as (typeof STATUSES)[number],
});

const pet = (id: number) => ({ id, ...newPet(id) });

const ids = Array.from({ length: PETS }, (_, index) => index + 1);

/** Sent one after the other, these requests fill an empty server. */
export const SEED: readonly Request[] = ids.map((id) => post(newPet(id)));

/** Creates come last, because they make the collection larger. */
export const OPERATIONS: readonly Operation[] = [
  { name: "list, first page", status: 200, requests: [get("/v1/pets")], body: ids.slice(0, 20).map(pet) },
  { name: "get", status: 200, requests: ids.slice(0, 20).map((id) => get(`/v1/pets/${id}`)), body: pet(1) },
  { name: "401", status: 401, requests: [{ method: "GET", path: "/v1/pets", headers: {} }] },
  { name: "create", status: 201, requests: [post(newPet(500))], body: { ...newPet(500), id: PETS + 1 } },
];
