import { mock } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { aroundPorts, type Ports, type Wrapper } from "../../src/adapters/guard/around.js";
import type { Circuit } from "../../src/adapters/guard/circuit.js";
import memory from "../../src/adapters/memory/storage.js";
import { SILENT_CONTEXT, STORAGE_PORTS, type Storage } from "../../src/application/ports/storage.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { type Call, everyCall } from "../../src/storage-kit/calls.js";
import { somePet } from "../../src/storage-kit/samples.js";
import { send } from "../support/client.js";
import { codeOf } from "../support/code-of.js";
import { exampleOf } from "../support/described.js";
import { expectError } from "../support/expect-error.js";
import { type AppOptions, type BuiltApp, buildApp } from "../support/start-app.js";

// What the table of ports promises of each, also of one that is added.

describe("Every port of a storage", () => {
  const apps: BuiltApp[] = [];
  afterEach(async () => {
    mock.timers.reset();
    for (const app of apps.splice(0)) await app.close();
  });

  async function build(options: AppOptions): Promise<BuiltApp> {
    const app = await buildApp(options);
    apps.push(app);
    return app;
  }

  const open = () => memory.open("memory:", SILENT_CONTEXT);

  /** The memory storage, with something round each operation of each port. */
  async function openWith(wrapper: Wrapper): Promise<Storage> {
    const storage = await open();
    return { ...storage, ...aroundPorts(storage, wrapper) };
  }

  /** How often the metrics have each operation; with `failures`, how often as a failed one. */
  async function counted({ metrics }: BuiltApp, failures = false): Promise<Record<string, number>> {
    const { text } = await metrics.read();
    const name = failures ? "failures_total" : "operation_duration_seconds_count";
    const found = text.matchAll(
      new RegExp(`^petstore_storage_${name}\\{operation="(\\w+)"\\} (\\d+)$`, "gm"),
    );
    return Object.fromEntries([...found].map(([, operation, count]) => [operation, Number(count)]));
  }

  const UNAVAILABLE = storageUnavailable(new Error("a database's error"));
  const NAMES = Object.values(STORAGE_PORTS).flatMap((operations) => Object.keys(operations));

  it("is one of memory, and has operations with names of their own", async () => {
    expect(await open()).to.include.keys(Object.keys(STORAGE_PORTS));
    expect(NAMES).to.have.length(new Set(NAMES).size);
  });

  it("has a table that tells reads from writes: only a write changes what the reads answer", async () => {
    async function reads(ports: Ports): Promise<unknown[]> {
      const answers: unknown[] = [];
      for (const { kind, ask } of everyCall(ports)) if (kind === "read") answers.push(await ask());
      return answers;
    }
    /** So that an operation which changes or takes away a pet finds it. */
    async function storeAsked(ports: Ports): Promise<void> {
      const values = everyCall(ports).flatMap((call) => (call.port === "pets" ? call.values : []));
      const ids = values.filter((value) => typeof value === "bigint");
      await ports.archive?.storePets(ids.map((id) => ({ pet: { ...somePet(), id }, record: undefined })));
    }
    for (const n of everyCall(await open()).keys()) {
      const ports = await open();
      const { operation, kind, ask } = everyCall(ports)[n] as Call;
      await storeAsked(ports);
      const before = await reads(ports);
      await ask();
      const after = await reads(ports);
      expect(isDeepStrictEqual(after, before), operation).to.equal(kind === "read");
    }
  });

  it("is measured by the names of its operations, also of one that never answers", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const app = await build({ storage: await openWith(() => new Promise(() => {})) });
    const codes = Promise.all(everyCall(app.ports).map(({ ask }) => codeOf(ask())));
    await new Promise(setImmediate);
    mock.timers.tick(5000);
    expect(new Set(await codes)).to.deep.equal(new Set(["storage_unavailable"]));
    for (const of of [await counted(app), await counted(app, true)]) expect(of).to.include.keys(NAMES);
  });

  it("is behind the guard, which is not measured", async () => {
    const refuse: Pick<Circuit, "run" | "stop"> = { run: () => Promise.reject(UNAVAILABLE), stop() {} };
    const app = await build({ storage: await open(), circuit: refuse as Circuit });
    for (const { operation, ask } of everyCall(app.ports)) {
      expect(await codeOf(ask()), operation).to.equal("storage_unavailable");
    }
    expect(await counted(app)).to.not.have.any.keys(NAMES);
  });

  it("refuses all that changes something if the service is read-only, and every route but GET says so", async () => {
    const app = await build({ storage: await open(), readOnly: true });
    for (const { operation, kind, ask } of everyCall(app.ports)) {
      expect(await codeOf(ask()), operation).to.equal(kind === "write" ? "storage_unavailable" : undefined);
    }
    for (const { method, path } of app.routes) {
      const answer = await send(app, ...exampleOf(method, path));
      if (method === "get") expect(answer.status, path).to.be.below(500);
      else {
        expectError(answer, 503, "storage_unavailable");
        expect(answer.text).to.include("read-only");
      }
    }
  });

  it("answers 503 for an error of the database, and never 500", async () => {
    const app = await build({ storage: await openWith(() => Promise.reject(UNAVAILABLE)) });
    for (const { method, path } of app.routes) {
      const answer = await send(app, ...exampleOf(method, path));
      if (answer.status !== 200) expectError(answer, 503, "storage_unavailable");
    }
  });

  describe("takes and gives values", () => {
    const SPOILT = "spoilt";

    /** Changes whatever can be changed. */
    function spoil(value: unknown): void {
      if (typeof value !== "object" || value === null) return;
      for (const [name, part] of Object.entries(value)) {
        spoil(part);
        Reflect.set(value, name, SPOILT);
      }
    }

    async function answers(ports: Ports): Promise<unknown[]> {
      return Promise.all(everyCall(ports).map(({ ask }) => ask()));
    }

    it("so that nobody changes what is stored through an object that it holds", async () => {
      const ports = await open();
      for (const { values, ask } of everyCall(ports)) {
        const asked = ask();
        spoil(values);
        spoil(await asked);
      }
      for (const answer of await answers(ports)) spoil(answer);
      expect(inspect(await answers(ports), { depth: null })).to.not.include(SPOILT);
    });
  });
});
