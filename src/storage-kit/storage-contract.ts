import assert from "node:assert/strict";
import { ARCHIVE_CASES } from "./cases/archive.js";
import { CREATE_CASES } from "./cases/creates.js";
import { LIFECYCLE_CASES } from "./cases/lifecycle.js";
import { OUTAGE_CASES } from "./cases/outages.js";
import { READ_CASES } from "./cases/reads.js";
import { VALUE_CASES } from "./cases/values.js";
import { type ContractCase, contractCase } from "./contract-case.js";
import { OPEN_LIMIT, Session } from "./session.js";
import { type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

export { SILENT_CONTEXT } from "../application/storage-adapter.js";
export { type ContractCase, RuleBroken } from "./contract-case.js";
export { otherProcess } from "./other-process.js";
export type { Need, Outage, StorageUnderTest } from "./storage-under-test.js";
export { storageOf, whyNotAsked } from "./storage-under-test.js";

/**
 * The rules of every storage, simple ones first. Each case checks one rule on its own storage, in any runner.
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

type Register = (title: string, body: () => Promise<void>) => unknown;

/** The functions that mocha, node:test, Jest and Vitest share. */
export interface TestRunner {
  describe(title: string, body: () => void): unknown;
  it: Register & { skip: Register };
}

/**
 * Registers a test for each case; unsupported cases are skipped, with the reason in their titles. The runner
 * itself reports an error outside of any call.
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
    let unfinished: Promise<unknown> | undefined;
    for (const { name, needs, run } of STORAGE_CONTRACT) {
      const reason = whyNotAsked(needs, storage);
      const body = async () => {
        // A runner abandons a test that timed out, which may be about to bring the storage back. Only then
        // wait: node:test attributes whatever follows the promise of another test to that test.
        await unfinished?.catch(() => undefined);
        unfinished = run(storage).finally(() => {
          unfinished = undefined;
        });
        await unfinished;
      };
      if (reason) it.skip(`${name} (not asked: ${reason})`, body);
      else it(name, body);
    }
  });
}
