import type { Random } from "../random.js";
import type { HttpClient, Question } from "./http-client.js";
import type { Judge } from "./judge.js";

type Invalid = Question & { readonly expected: number; readonly key?: "none" | "wrong" };

const JSON_TYPE = { "Content-Type": "application/json" };

function create(body: string, headers: Question["headers"] = JSON_TYPE, expected = 400): Invalid {
  return { method: "POST", path: "/v1/pets", headers, body, expected };
}

function get(path: string, expected: number, more: Partial<Invalid> = {}): Invalid {
  return { method: "GET", path, expected, ...more };
}

/** Requests that the service must refuse, and requests for things other than pets. */
const REQUESTS: readonly Invalid[] = [
  create("{}"),
  create("null"),
  create(`{"name":"","categoryId":1}`),
  create(`{"name":"a","categoryId":9223372036854775808}`),
  create(`{"name":"a","categoryId":1,"categoryId":1}`),
  create(`{"name":"a","categoryId":1,"status":"lost"}`),
  create(`{"name":"a","categoryId":1`),
  create(`${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`, JSON_TYPE, 413),
  create(`{"name":"a","categoryId":1}`, {}, 415),
  create(`{"name":"a","categoryId":1}`, { "Content-Type": "text/plain" }, 415),
  create(`{"name":"a","categoryId":1}`, { ...JSON_TYPE, "Idempotency-Key": "" }),
  create(`{"name":"a","categoryId":1}`, { ...JSON_TYPE, "Content-Encoding": "gzip" }, 415),
  create(`{"name":"a","categoryId":1,"age":3}`, { ...JSON_TYPE, Prefer: "handling=strict" }),
  get("/v1/pets?limit=0", 400),
  get("/v1/pets?limit=1e1", 400),
  get("/v1/pets?status=lost", 400),
  get("/v1/pets?state=sold", 400),
  get("/v1/pets?limit=1&limit=1", 400),
  get("/v1/pets?cursor=AQEAAAAAAAAAAWw0J50", 400),
  get("/v1/pets?status=sold&cursor=x", 400),
  get("/v1/pets", 401, { key: "none" }),
  get("/v1/pets/1", 401, { key: "wrong" }),
  get("/v1/pets/", 404),
  get("/v1/pet", 404),
  get("/v1/pets", 406, { headers: { Accept: "text/html" } }),
  { method: "DELETE", path: "/v1/pets/1", expected: 405 },
  { method: "PUT", path: "/v1/pets", headers: JSON_TYPE, body: "{}", expected: 405 },
  { method: "OPTIONS", path: "/v1/pets", expected: 204 },
  { method: "HEAD", path: "/v1/pets", expected: 200 },
  get("/v1/store/orders", 200),
  get("/openapi.json", 200, { key: "none" }),
  get("/docs", 200, { key: "none" }),
];

/** Sends requests that the service must refuse; it may store nothing of them. */
export class InvalidRequests {
  constructor(
    private readonly client: HttpClient,
    private readonly judge: Judge,
    private readonly random: Random,
    private readonly apiKey: string,
  ) {}

  async send(): Promise<void> {
    const { expected, key, ...question } = this.random.pick(REQUESTS);
    const credentials = key === "none" ? undefined : key === "wrong" ? "petstore_wrong" : this.apiKey;
    this.judge.judge(await this.client.send(question, credentials), [expected]);
  }
}
