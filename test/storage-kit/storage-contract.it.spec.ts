import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { StorageAdapter } from "../../src/application/storage-adapter.js";
import {
  type ContractCase,
  describeContract,
  RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  storageOf,
  whyNotAsked,
} from "../../src/storage-kit/storage-contract.js";
import { BUGS } from "./planted-bugs.js";
import { storageWith } from "./simple-storage.js";

/** While the tests of this block run, timers pass quickly: 5 ms with each turn of the event loop. */
function inVirtualTime(): void {
  let isOn = false;
  before(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    isOn = true;
    (async () => {
      while (isOn) {
        await setImmediate();
        mock.timers.tick(5);
      }
    })();
  });
  after(() => {
    isOn = false;
    mock.timers.reset();
  });
}

/** Resolves to the failure of a case, which must be one readable line. */
async function find(name: string, storage: StorageUnderTest): Promise<string> {
  const { rule, run } = STORAGE_CONTRACT.find((one) => one.name === name) as ContractCase;
  const found: unknown = await run(storage).catch((error) => error);
  if (!(found instanceof RuleBroken)) expect.fail(`"${name}" did not find it: ${found}`);
  expect(JSON.parse(JSON.stringify({ ...found })), "texts").to.have.property("seen");
  expect(found.message).to.equal(`${rule} Seen: ${found.seen}`);
  expect(found.seen)
    .to.match(/^.+$/)
    .and.not.match(/TypeError/);
  return found.seen;
}

describe("The contract of a storage", () => {
  inVirtualTime();

  describe("holds for a storage without a bug", () => {
    describeContract(storageWith());

    it("and leaves out no case", () => {
      const left = STORAGE_CONTRACT.filter(({ needs }) => whyNotAsked(needs, storageWith()));
      expect(left).to.deep.equal([]);
    });
  });

  describe("holds for a storage that was written for 3.0.0, with frozen functions", () => {
    const { adapter: simple, newUrl } = storageWith();
    const adapter: StorageAdapter = {
      ...{ api: 2, schemes: ["simple"], form: "simple://HOST", shared: false, durable: false },
      check: () => undefined,
      async open(url, context) {
        context.addReading({ name: "three", help: "Pets.", type: "gauge", together: "sum", read: () => 0 });
        const storage = await simple.open(url, context);
        const pets = Object.freeze({ ...storage.pets });
        return { ...storage, pets, identity: "simple", unarchived: async () => undefined };
      },
    };
    describeContract(storageOf(adapter, { newUrl, archive: true }));
  });

  describe("finds a storage that", () => {
    for (const { what, foundBy, change } of BUGS) {
      for (const name of foundBy) it(`${what}, by "${name}"`, () => find(name, storageWith(change)));
    }

    it("never opens, after 10 s", async () => {
      const adapter = { durable: true, shared: true, open: () => new Promise<never>(() => {}) };
      const found = await find("resolves ping", storageOf(adapter, { newUrl: () => "" }));
      expect(found).to.equal("open() did not settle within 10 s");
    });
  });

  it("is tested by a planted bug for each case, and names each case differently", () => {
    const found = new Set(BUGS.flatMap(({ foundBy }) => foundBy));
    expect([...found]).to.have.members(STORAGE_CONTRACT.map(({ name }) => name));
  });

  it("names the call, the expected and the actual result, and the innermost cause of an error", async () => {
    const wrong = storageWith(() => ({ get: async () => undefined }));
    expect(await find("answers what was sent", wrong)).to.equal(
      "get(1n): expected { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' }, seen undefined",
    );
    const cause = new AggregateError([new Error("connect\nECONNREFUSED")]);
    const failing = storageWith(() => ({ ping: () => Promise.reject(new Error("no answer", { cause })) }));
    expect(await find("resolves ping", failing)).to.match(
      /^ping\(\) rejected with Error: no answer, caused by Error: connect ECONNREFUSED, at .*storage-contract/,
    );
    const careless = storageWith(() => ({ storePets: async () => {} }));
    expect(await find("archive: refuses a conflict", careless)).to.equal(
      "storePets(…) resolved; expected a PetConflict with id 10",
    );
    const odd = storageWith(() => ({ ping: () => Promise.reject(7) }));
    expect(await find("resolves ping", odd)).to.equal("ping() rejected with 7 (not an Error)");
  });

  it("registers cases that do not apply as skipped, and a failing test for an archive that is not declared", async () => {
    const { archive: _unsaid, ...storage } = storageWith();
    const [tests, skipped]: [(() => Promise<void>)[], string[]] = [[], []];
    const it = Object.assign((_title: string, body: () => Promise<void>) => tests.push(body), {
      skip: (title: string) => skipped.push(title),
    });
    describeContract(storage, { describe: (_title, body) => body(), it });
    expect(skipped).to.include(
      "archive: refuses a conflict (not asked: pass `archive: true` if it has an archive)",
    );
    expect(tests.length + skipped.length).to.equal(STORAGE_CONTRACT.length + 1);
    const failure = await tests[0]?.().catch((error: Error) => error.message);
    expect(failure).to.equal("The storage has an `archive`: pass `archive: true` to run its cases.");
  });
});
