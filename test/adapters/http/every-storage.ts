import { expect } from "chai";
import type { PetRepository } from "../../../src/application/ports/pet-repository.js";
import { AWKWARD_INT64S, AWKWARD_NAMES } from "../../../src/contracts/samples.js";
import { PET_STATUSES } from "../../../src/domain/pet.js";
import { type Answer, get, post } from "../../support/client.js";
import { eventually } from "../../support/eventually.js";
import { expectError } from "../../support/expect-error.js";
import { API_KEY, FixedKeys, type StartedApp, startApp } from "../../support/start-app.js";

/** A storage that the suite may use. */
export interface StorageToTry {
  /** Opens the storage; it is empty the first time. */
  open(): Promise<PetRepository>;
  /** Takes the storage away, and resolves to what brings it back. */
  takeAway?(): Promise<() => Promise<unknown>>;
  remove?(): unknown;
}

/** What a storage can break of the service, seen over HTTP. Each storage has its contract besides. */
export function itServesOver(
  make: () => Promise<StorageToTry> | StorageToTry,
  { goesAway }: { readonly goesAway: boolean },
): void {
  let storage: StorageToTry;
  let app: StartedApp;
  beforeEach(async () => {
    storage = await make();
    app = await startApp({ repository: await storage.open() });
  });
  afterEach(async () => {
    await app.close();
    await storage.remove?.();
  });

  it("gives a created pet back, by its id and in the list", async () => {
    const created = await post(app, '{"name":"Rex","categoryId":7,"status":"sold"}');
    expect(created.status, created.text).to.equal(201);
    expect((await get(app, created.headers.location ?? "")).text).to.equal(created.text);
    expect((await get(app, "/v1/pets?status=sold")).text).to.equal(`[${created.text}]`);
    expect((await get(app, "/v1/pets?status=pending")).text).to.equal("[]");
  });

  it("gives every int64 back digit for digit", async () => {
    for (const categoryId of AWKWARD_INT64S) {
      const { text } = await post(app, `{"name":"Rex","categoryId":${categoryId}}`);
      expect(text).to.include(`"categoryId":${categoryId},`);
      expect((await get(app, "/v1/pets?limit=100")).text).to.include(text);
    }
  });

  it("gives every name back as it was sent", async () => {
    for (const [what, name] of Object.entries(AWKWARD_NAMES)) {
      const created = await post(app, JSON.stringify({ name, categoryId: 1 }));
      const { text } = await get(app, created.headers.location ?? "");
      expect(JSON.parse(text).name, what).to.equal(name);
    }
  });

  it("has each pet on one page, whatever is created during the walk", async () => {
    const create = (n: number) =>
      post(app, `{"name":"${n}","categoryId":${n},"status":"${PET_STATUSES[n % 3]}"}`);
    for (let n = 0; n < 9; n++) await create(n);
    for (const filter of ["", "status=sold&"]) {
      const before = idsOf((await get(app, `/v1/pets?${filter}limit=100`)).text);
      const seen: number[] = [];
      for (let path: string | undefined = `/v1/pets?${filter}limit=2`; path; ) {
        const [page]: [Answer, Answer] = await Promise.all([get(app, path), create(seen.length)]);
        seen.push(...idsOf(page.text));
        path = seen.length < 60 ? /<([^>]+)>/.exec(page.headers.link ?? "")?.[1] : undefined;
      }
      expect(seen).to.deep.equal([...new Set(seen)].sort((a, b) => a - b));
      expect(seen).to.include.members(before);
    }
  });

  it("answers a repeated create from the first one, and refuses another body under its key", async () => {
    const headers = { "Idempotency-Key": "key-1" };
    const body = '{"name":"Rex","categoryId":1}';
    const first = await post(app, body, { headers });
    const again = await post(app, body, { headers });
    expect(again.text).to.equal(first.text);
    expect([again.status, again.headers.location]).to.deep.equal([201, first.headers.location]);
    expect(first.headers).not.to.have.property("idempotency-replayed");
    expect(again.headers["idempotency-replayed"]).to.equal("true");
    expectError(await post(app, '{"name":"Max","categoryId":1}', { headers }), 400, "idempotency_key_reused");
    expect((await get(app, "/v1/pets")).text).to.equal(`[${first.text}]`);
  });

  it("stores one pet for ten creates with one key that arrive at once", async () => {
    const headers = { "Idempotency-Key": "key-1" };
    const creates = Array.from({ length: 10 }, () => post(app, '{"name":"Rex","categoryId":1}', { headers }));
    const answers = await Promise.all(creates);
    expect(new Set(answers.map(({ status, text }) => status + text))).to.have.property("size", 1);
    expect(answers.filter(({ headers }) => !headers["idempotency-replayed"])).to.have.length(1);
    expect(idsOf((await get(app, "/v1/pets")).text)).to.have.length(1);
  });

  it("keeps the idempotency keys of two API keys apart", async () => {
    const { repository } = app;
    const shared = await startApp({ repository, keyVerifier: new FixedKeys(API_KEY, "other-key") });
    const headers = { "Idempotency-Key": "key-1" };
    for (const key of [API_KEY, "other-key"]) {
      const { headers: answered } = await post(shared, '{"name":"Rex","categoryId":1}', { headers, key });
      expect(answered).not.to.have.property("idempotency-replayed");
    }
    await shared.closeServer();
  });

  it("finds no pet under another id, however large", async () => {
    for (const petId of ["2", "9007199254740993", "9223372036854775807", "9223372036854775808"]) {
      expectError(await get(app, `/v1/pets/${petId}`), 404, "pet_not_found");
    }
  });

  if (!goesAway) return;

  it("answers 503 while the storage is away, and serves again once it is back", async () => {
    const bringBack = await storage.takeAway?.();
    const create = () =>
      post(app, '{"name":"Rex","categoryId":1}', { headers: { "Idempotency-Key": "key-1" } });
    const asked = performance.now();
    expectError(await create(), 503, "storage_unavailable");
    // guarded-pet-repository.spec.ts counts the time to the millisecond.
    expect(performance.now() - asked).to.be.below(10_000);
    await bringBack?.();
    await eventually(async () => ((await create()).status === 201 ? true : undefined));
    expect(idsOf((await get(app, "/v1/pets")).text)).to.have.length(1);
  });
}

function idsOf(pets: string): number[] {
  return JSON.parse(pets).map(({ id }: { id: number }) => id);
}
