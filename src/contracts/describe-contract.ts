import { STORAGE_CONTRACT } from "./cases.js";
import { type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

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
