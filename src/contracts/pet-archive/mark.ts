import type { ContractCase } from "../contract-case.js";
import { same } from "../expect.js";
import { listAll, somePet } from "../samples.js";
import { archiveCase, toArchive } from "./archive-case.js";

const LONG = `copy of "x"; ${"~".repeat(187)}`;

/** Cases: the mark that an operator's copy leaves on a storage. */
export const MARK_CASES: readonly ContractCase[] = [
  archiveCase({
    name: "archive: keeps a mark",
    rule: "readMark answers the mark that was written last, of up to 200 ASCII characters; undefined if there is none.",
    async check(pets) {
      same(await pets.readMark(), undefined, "the mark of a new storage");
      for (const mark of ["first", LONG, undefined, undefined, "again"]) {
        await pets.writeMark(mark);
        same(await pets.readMark(), mark, "the mark");
      }
      await pets.create(somePet());
      same((await listAll(pets)).length, 1, "the number of pets beside a mark");
      same(await pets.readMark(), "again", "the mark, after a create,");
    },
  }),
  archiveCase({
    name: "archive: keeps a mark over a restart",
    rule: "A mark outlives the process as the pets do, and so does its removal.",
    needs: ["reopen"],
    async check(pets, { reopen }) {
      await pets.writeMark(LONG);
      await pets.close();
      const second = toArchive(await reopen());
      same(await second.readMark(), LONG, "the mark after a restart");
      await second.writeMark(undefined);
      await second.close();
      same(await toArchive(await reopen()).readMark(), undefined, "the mark, removed before a restart,");
    },
  }),
];
