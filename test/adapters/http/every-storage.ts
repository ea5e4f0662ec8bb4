import { expect } from "chai";
import type { Storage } from "../../../src/application/ports/storage.js";
import { AWKWARD_INT64S } from "../../../src/storage-kit/samples.js";
import { get, post } from "../../support/client.js";
import { PET_MEMBERS } from "../../support/described.js";
import { until } from "../../support/eventually.js";
import { expectError } from "../../support/expect-error.js";
import { type StartedApp, startApp } from "../../support/start-app.js";

/** A storage that the suite may use. */
export interface StorageToTry {
  /** Opens the storage; it is empty the first time. */
  open(): Promise<Storage>;
  /** Takes the storage away, and resolves to what brings it back. */
  takeAway?(): Promise<() => Promise<unknown>>;
  remove?(): unknown;
}

/** What a storage can break of the service, seen over HTTP. Each storage has its contract besides. */
export function itServesOver(make: () => Promise<StorageToTry> | StorageToTry, goesAway = false): void {
  let storage: StorageToTry;
  let app: StartedApp;
  beforeEach(async () => {
    storage = await make();
    app = await startApp({ storage: await storage.open() });
  });
  afterEach(async () => {
    await app.close();
    await storage.remove?.();
  });

  it("gives a created pet back, by its id and in the list, every int64 digit for digit", async () => {
    for (const categoryId of AWKWARD_INT64S) {
      const created = await post(app, `{"name":"Zoë 🐾","categoryId":${categoryId},"status":"sold"}`);
      expect(created.status, created.text).to.equal(201);
      expect(created.text).to.include(`"name":"Zoë 🐾","categoryId":${categoryId},`);
      expect(Object.keys(JSON.parse(created.text))).to.deep.equal(PET_MEMBERS);
      expect((await get(app, created.headers.location ?? "")).text).to.equal(created.text);
      expect((await get(app, "/v1/pets?status=sold")).text).to.include(created.text);
    }
    expect((await get(app, "/v1/pets?status=pending")).text).to.equal("[]");
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

  if (!goesAway) return;

  it("answers 503 while the storage is away, and serves again once it is back", async () => {
    const bringBack = await storage.takeAway?.();
    const create = () =>
      post(app, '{"name":"Rex","categoryId":1}', { headers: { "Idempotency-Key": "key-1" } });
    const asked = performance.now();
    expectError(await create(), 503, "storage_unavailable");
    // guarded.spec.ts counts the time to the millisecond.
    expect(performance.now() - asked).to.be.below(10_000);
    await bringBack?.();
    await until(async () => (await create()).status === 201);
    // A create that was under way may succeed before the next probe does.
    await until(async () => (await get(app, "/v1/pets")).status === 200);
    expect(JSON.parse((await get(app, "/v1/pets")).text)).to.have.length(1);
  });
}
