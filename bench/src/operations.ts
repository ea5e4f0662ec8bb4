import assert from "node:assert/strict";

/** The key every server is started with. */
export const API_KEY = "petstore_benchmark-key-0123456789abcdef";

/** How many pets every server holds when the measurements start. */
const PET_COUNT = 1000;

const STATUSES = ["available", "pending", "sold"];

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer of a server. */
interface Answer {
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Operation {
  readonly name: string;
  /** The status of every answer. */
  readonly status: number;
  /** A load sends them in turn. */
  readonly requests: readonly Request[];
  /** Refuses an answer to the first request that is not what the contract asks for. */
  check(answer: Answer): void;
}

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };

export const get = (path: string): Request => ({ method: "GET", path, headers: AUTHORIZATION });

const post = (body: object): Request => ({
  method: "POST",
  path: "/v1/pets",
  headers: { ...AUTHORIZATION, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

const newPetOf = (id: number) => ({
  name: `Pet ${id}`,
  categoryId: id,
  status: STATUSES[(id - 1) % STATUSES.length],
});

const petOf = (id: number) => ({ id, ...newPetOf(id) });

const ids = Array.from({ length: PET_COUNT }, (_, index) => index + 1);

/** Sent one after the other, these requests fill an empty server. */
export const SEED: readonly Request[] = ids.map((id) => post(newPetOf(id)));

function checkError({ body, headers }: Answer, status: number): void {
  const { code, message, ...rest } = body as Record<string, unknown>;
  assert.ok(typeof code === "string" && typeof message === "string", "not the Error body");
  assert.deepEqual(rest, { status });
  assert.equal(headers.has("WWW-Authenticate"), status === 401);
}

/** The measured operations. Creates come last, because they make the collection larger. */
export const OPERATIONS = {
  list: {
    name: "list 20",
    status: 200,
    requests: [get("/v1/pets")],
    check: ({ body }) => assert.deepEqual(body, ids.slice(0, 20).map(petOf)),
  },
  filtered: {
    name: "list 100 sold",
    status: 200,
    requests: [get("/v1/pets?status=sold&limit=100")],
    check({ body }) {
      const sold = ids.map(petOf).filter(({ status }) => status === "sold");
      assert.deepEqual(body, sold.slice(0, 100));
    },
  },
  get: {
    name: "get",
    status: 200,
    // The first request asks for the one pet that the constant server has.
    requests: [500, ...ids].map((id) => get(`/v1/pets/${id}`)),
    check: ({ body }) => assert.deepEqual(body, petOf(500)),
  },
  unauthorized: {
    name: "401",
    status: 401,
    requests: [{ method: "GET", path: "/v1/pets", headers: {} }],
    check: (answer) => checkError(answer, 401),
  },
  invalid: {
    name: "400",
    status: 400,
    requests: [post({ name: "Pet" })],
    check: (answer) => checkError(answer, 400),
  },
  create: {
    name: "create",
    status: 201,
    requests: [post(newPetOf(500))],
    check({ body, headers }) {
      const { id } = body as { id: number };
      assert.deepEqual(body, { ...petOf(500), id });
      assert.equal(headers.get("Location"), `/v1/pets/${id}`);
    },
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
