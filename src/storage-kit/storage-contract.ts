import assert from "node:assert/strict";
import { ARCHIVE_CASES } from "./cases/archive.js";
import { ID_CASES } from "./cases/ids.js";
import { KEY_CASES } from "./cases/keys.js";
import { LIFECYCLE_CASES } from "./cases/lifecycle.js";
import { OUTAGE_CASES } from "./cases/outages.js";
import { READ_CASES } from "./cases/reads.js";
import { VALUE_CASES } from "./cases/values.js";
import { type ContractCase, contractCase } from "./contract-case.js";
import { type Need, portsOf, type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

export { SILENT_CONTEXT } from "../application/ports/storage.js";
export { type ContractCase, RuleBroken } from "./contract-case.js";
export { otherProcess } from "./other-process.js";
export {
  type Need,
  type Outage,
  portsOf,
  type StorageUnderTest,
  type Surroundings,
  storageOf,
  whyNotAsked,
} from "./storage-under-test.js";

/**
 * The rules that every storage keeps, simple ones first. Each case checks one rule on a storage of its own. Any test
 * runner can run them, and so does `petstore conformance`. The package exports this module as `petstore/storage/contract`.
 */
export const STORAGE_CONTRACT: readonly ContractCase[] = [
  ...VALUE_CASES,
  ...READ_CASES,
  ...KEY_CASES,
  ...LIFECYCLE_CASES,
  ...ID_CASES,
  ...ARCHIVE_CASES,
  ...OUTAGE_CASES,
].map(contractCase);

/** The functions that mocha, node:test, Jest and Vitest have in common. */
export interface TestRunner {
  describe(title: string, body: () => void): unknown;
  it: {
    (title: string, body: () => Promise<void>): unknown;
    skip(title: string, body: () => Promise<void>): unknown;
  };
}

/**
 * Registers a test for each case; one that cannot be asked of the storage is skipped, and its title has the reason. One
 * more test fails if the storage has a port that it is not said to have, e.g. by `archive: true`.
 */
export function describeContract(
  storage: StorageUnderTest,
  { describe, it }: TestRunner = globalThis as unknown as TestRunner,
): void {
  describe("keeps the contract of a storage", () => {
    it("is asked about every port that it has", async () => {
      const opened = await storage.open();
      await opened.close();
      for (const [name, has] of Object.entries(portsOf(opened))) {
        const asked = name === "pets" || storage[name as Need];
        assert(
          asked || !has,
          `The storage has \`${name}\`: say \`${name}: true\`, so that its cases are asked.`,
        );
      }
    });
    for (const { name, needs, run } of STORAGE_CONTRACT) {
      const reason = whyNotAsked(needs, storage);
      if (reason) it.skip(`${name} (not asked, since ${reason})`, () => run(storage));
      else it(name, () => run(storage));
    }
  });
}
