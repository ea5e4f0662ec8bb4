import { ARCHIVE_CASES } from "./cases/archive.js";
import { ID_CASES } from "./cases/ids.js";
import { KEY_CASES } from "./cases/keys.js";
import { LIFECYCLE_CASES } from "./cases/lifecycle.js";
import { OUTAGE_CASES } from "./cases/outages.js";
import { READ_CASES } from "./cases/reads.js";
import { VALUE_CASES } from "./cases/values.js";
import { type ContractCase, contractCase } from "./contract-case.js";
import { type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

export { type ContractCase, RuleBroken } from "./contract-case.js";
export {
  type Need,
  type Outage,
  type StorageUnderTest,
  storageOf,
  whyNotAsked,
} from "./storage-under-test.js";

/**
 * The rules that every storage keeps. Each case checks one rule on a storage of its own. Any test runner can
 * run them, and so does `petstore conformance`. The package exports this module as `petstore/storage/contract`.
 */
export const STORAGE_CONTRACT: readonly ContractCase[] = [
  ...VALUE_CASES,
  ...READ_CASES,
  ...ID_CASES,
  ...KEY_CASES,
  ...LIFECYCLE_CASES,
  ...ARCHIVE_CASES,
  ...OUTAGE_CASES,
].map(contractCase);

/** The two functions that mocha, node:test, Jest and Vitest have in common. */
export interface TestRunner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

/** Registers a test for each case whose needs the storage fulfils, and leaves out the others. */
export function describeContract(
  storage: StorageUnderTest,
  { describe, it }: TestRunner = globalThis as unknown as TestRunner,
): void {
  describe("keeps the contract of a storage", () => {
    for (const { name, needs, run } of STORAGE_CONTRACT) {
      if (!whyNotAsked(needs, storage)) it(name, () => run(storage));
    }
  });
}
