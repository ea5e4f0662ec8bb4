import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { describeContract, otherProcess, SILENT_CONTEXT, storageOf } from "petstore/storage/contract";
import adapter from "./storage.js";

describe("storage-file", () => {
  const folder = mkdtempSync(`${tmpdir()}/storage-file-`);
  after(() => rmSync(folder, { recursive: true }));
  const newPath = () => `${folder}/${randomUUID()}.jsonl`;

  const module = fileURLToPath(import.meta.resolve("./storage.js"));
  const storage = storageOf(adapter, { newUrl: () => `file:${newPath()}`, ...otherProcess(module) });
  describeContract(storage, { describe, it });

  const open = (/** @type {string} */ path) => adapter.open(`file:${path}`, SILENT_CONTEXT);

  for (const moment of ["as it opens", "as it writes again"]) {
    it(`cuts off a line that was written in part, ${moment}`, async () => {
      const path = newPath();
      let { pets, close } = await open(path);
      /** @type {import("petstore/storage").NewPet} */
      const rex = { name: "Rex", categoryId: 7n, status: "available" };
      const { pet } = await pets.create(rex);
      if (moment === "as it opens") await close();
      appendFileSync(path, '["2","Lu');
      if (moment === "as it opens") ({ pets, close } = await open(path));
      const { pet: next } = await pets.create(rex);
      await close();
      ({ pets, close } = await open(path));
      assert.deepEqual(await pets.list({ status: undefined, after: 0n, limit: 10 }), [pet, next]);
      await close();
    });
  }

  it("names the line that is corrupt", async () => {
    const path = newPath();
    appendFileSync(path, '["1","Rex","7","sold"]\n\0\0\0\n');
    await assert.rejects(open(path), /Line 2 of .* is not a valid pet/);
  });
});
