import { mock } from "node:test";
import { expect } from "chai";
import { STORAGE_PORTS } from "../../src/application/ports/storage.js";
import {
  type ContractCase,
  describeContract,
  type Outage,
  RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  whyNotAsked,
} from "../../src/storage-kit/storage-contract.js";
import { BUGS } from "./planted/bugs.js";
import { Disk, endPauses, SimplePets } from "./planted/simple-pets.js";

/** A storage to which every case applies. */
function storageOn(open: (disk: Disk) => SimplePets): StorageUnderTest {
  let disk = new Disk();
  const outageOf = (member: "away" | "silent"): Outage => ({
    async down() {
      disk[member] = true;
    },
    async up() {
      disk[member] = false;
    },
  });
  return {
    async open() {
      disk = new Disk();
      return open(disk).asStorage();
    },
    reopen: async () => open(disk).asStorage(),
    async openMissing() {
      const pets = open(new Disk());
      pets.refuseToMake();
      return pets.asStorage();
    },
    shared: true,
    archive: true,
    async deletePet(id) {
      disk.rows = disk.rows.filter((row) => row.id !== id);
    },
    async createAndDie(pets, records) {
      const dying = open(disk);
      const creations = await Promise.all(pets.map((pet, n) => dying.create(pet, records[n])));
      disk = disk.afterDeath();
      return creations.map(({ pet }) => pet);
    },
    async useAndClose() {
      const used = new Disk();
      await open(used).close();
      return !used.hold;
    },
    outage: outageOf("away"),
    pause: outageOf("silent"),
  };
}

/** Asserts that the case finds the rule of the storage broken, and shows the behaviour in one line. */
async function expectFinding(name: string, storage: StorageUnderTest, seen = /./): Promise<void> {
  const { rule, run } = STORAGE_CONTRACT.find((one) => one.name === name) as ContractCase;
  const found: unknown = await run(storage).catch((error) => error);
  expect(found, "what the case found").to.be.instanceOf(RuleBroken);
  expect((found as RuleBroken).message.startsWith(`${rule} Seen: `)).to.equal(true);
  expect((found as RuleBroken).seen)
    .to.match(/^\P{Cc}+$/u)
    .and.match(seen)
    .and.not.match(/TypeError/);
}

describe("contract of a storage", () => {
  describe("asked of a storage without a bug", () => {
    const storage = storageOn((disk) => new SimplePets(disk));
    describeContract(storage);

    it("leaves out no case", () => {
      expect(STORAGE_CONTRACT.filter(({ needs }) => whyNotAsked(needs, storage))).to.deep.equal([]);
    });
  });

  it("has a test that fails if the storage has a port that it is not said to have", async () => {
    const { archive: _unsaid, ...storage } = storageOn((disk) => new SimplePets(disk));
    const [tests, skipped]: [(() => Promise<void>)[], string[]] = [[], []];
    const test = (_title: string, body: () => Promise<void>) => tests.push(body);
    const it = Object.assign(test, { skip: (title: string) => skipped.push(title) });
    describeContract(storage, { describe: (_title, body) => body(), it });
    expect(skipped.join()).to.include("a conflict (not asked, since `archive: true` is not given)");
    const failure = await tests[0]?.().catch((error: Error) => error.message);
    expect(failure).to.equal("The storage has `archive`: say `archive: true`, so that its cases are asked.");
  });

  it("has cases with different names and rules", () => {
    const names = STORAGE_CONTRACT.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(new Set(STORAGE_CONTRACT.map(({ rule }) => rule)).size).to.equal(names.length);
    for (const { rule } of STORAGE_CONTRACT) expect(rule).to.match(/^[A-Za-z].*\.$/);
  });

  describe("finds a storage that", () => {
    afterEach(endPauses);
    for (const { what, foundBy, open } of BUGS) {
      for (const name of foundBy) it(`${what}, by "${name}"`, () => expectFinding(name, storageOn(open)));
    }
  });

  it("finds a storage with a further port of which unarchived says nothing, or that lacks unarchived", async () => {
    const ports: Record<string, object> = STORAGE_PORTS;
    ports.owners = { createOwner: "write" };
    try {
      for (const [unarchived, seen] of [
        [undefined, /^the storage has an archive and owners, but no unarchived\(\)$/],
        [async () => undefined, /^unarchived\(\) is undefined, of a storage that holds more than pets$/],
      ] as const) {
        const owners = { createOwner: async () => undefined };
        const opening = async () => ({ ...new SimplePets(new Disk()).asStorage(), owners, unarchived });
        const storage = { ...storageOn((disk) => new SimplePets(disk)), open: opening };
        await expectFinding("archive: says what it does not move", storage as never, seen);
      }
    } finally {
      delete ports.owners;
    }
  });

  const never = () => new Promise<never>(() => {});
  const simple = storageOn((disk) => new SimplePets(disk));
  for (const [call, limit, storage] of [
    ["open()", 10, { ...simple, open: never }],
    ["ping()", 30, storageOn((disk) => Object.assign(new SimplePets(disk), { ping: never }))],
  ] as const) {
    it(`finds a storage whose ${call} never settles, after ${limit} s`, async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      const seen = `${call} did not settle within ${limit} s`;
      const found = expectFinding("resolves ping", storage, new RegExp(`^${seen.replace("()", "\\(\\)")}$`));
      // The case has opened the storage and asked for the ping by then.
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(limit * 1000);
      await found.finally(() => mock.timers.reset());
    });
  }

  it("has a planted bug for each case", () => {
    const finders = new Set(BUGS.flatMap(({ foundBy }) => foundBy));
    expect(STORAGE_CONTRACT.map(({ name }) => name).filter((name) => !finders.has(name))).to.deep.equal([]);
  });
});
