import assert from "node:assert/strict";
import { ARCHIVE_CASES } from "./cases/archive.js";
import { CREATE_CASES } from "./cases/creates.js";
import { LIFECYCLE_CASES } from "./cases/lifecycle.js";
import { OUTAGE_CASES } from "./cases/outages.js";
import { READ_CASES } from "./cases/reads.js";
import { VALUE_CASES } from "./cases/values.js";
import { type ContractCase, contractCase, RuleBroken } from "./contract-case.js";
import { OPEN_LIMIT, Session } from "./session.js";
import { type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

export { SILENT_CONTEXT } from "../application/storage-adapter.js";
export { type ContractCase, RuleBroken } from "./contract-case.js";
export { otherProcess } from "./other-process.js";
export type { Need, Outage, StorageUnderTest } from "./storage-under-test.js";
export { storageOf, whyNotAsked } from "./storage-under-test.js";

/**
 * The rules that every storage keeps, simple ones first. Each case checks one rule on its own storage, in any test runner.
 * The package exports this module as `petstore/storage/contract`; `petstore conformance` runs it, too.
 */
export const STORAGE_CONTRACT: readonly ContractCase[] = [
  ...VALUE_CASES,
  ...READ_CASES,
  ...CREATE_CASES,
  ...LIFECYCLE_CASES,
  ...ARCHIVE_CASES,
  ...OUTAGE_CASES,
].map(contractCase);

type Register = (title: string, body: (...context: unknown[]) => Promise<void>) => unknown;

/** The functions that mocha, node:test, Jest and Vitest have in common. */
export interface TestRunner {
  describe(title: string, body: () => void): unknown;
  it: Register & { skip: Register };
}

/** Skips the running test: `this` in mocha, the context in node:test and Vitest. */
type Skip = { skip?(reason: string): unknown } | undefined;

/**
 * Registers a test for each case; unsupported cases are skipped, with the reason in their titles. After an error outside of
 * any operation the remaining cases are skipped, too: it would have ended the service, and they might fail because of it.
 */
export function describeContract(
  storage: StorageUnderTest,
  { describe, it }: TestRunner = globalThis as typeof globalThis & TestRunner,
): void {
  describe("keeps the contract of a storage", () => {
    it("says whether it has an archive", async () => {
      const session = new Session(storage, OPEN_LIMIT);
      const { archive, close } = await session.create();
      await close();
      const isSaid = storage.archive || !archive;
      assert(isSaid, "The storage has an `archive`: pass `archive: true` to run its cases.");
    });
    let ended: string | undefined;
    for (const { name, needs, run } of STORAGE_CONTRACT) {
      const reason = whyNotAsked(needs, storage);
      const body = async function (this: Skip, ...[context]: unknown[]) {
        const test = this?.skip ? this : (context as Skip);
        if (ended) return void test?.skip?.(ended);
        await run(storage).catch((error) => {
          if (error instanceof RuleBroken && error.kind === "outside")
            ended = `not run, after an error outside of any operation in "${name}"`;
          throw error;
        });
      };
      if (reason) it.skip(`${name} (not asked: ${reason})`, body);
      else it(name, body);
    }
  });
}
