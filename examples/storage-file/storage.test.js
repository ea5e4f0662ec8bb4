import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describeContract, otherProcess, SILENT_CONTEXT, storageOf } from "petstore/storage/contract";
import adapter from "./storage.js";

const REX = /** @type {const} */ ({ name: "Rex", categoryId: 7n, status: "available" });

describe("storage-file", () => {
  const folder = mkdtempSync(join(tmpdir(), "storage-file-"));
  let files = 0;
  const newPath = () => join(folder, `pets-${++files}.jsonl`);
  after(() => rmSync(folder, { recursive: true }));

  const processes = otherProcess(fileURLToPath(import.meta.resolve("./storage.js")));
  describeContract(storageOf(adapter, { newUrl: () => `file:${newPath()}`, ...processes }), { describe, it });

  const open = (/** @type {string} */ path) => adapter.open(`file:${path}`, SILENT_CONTEXT);
  const all = { status: undefined, after: 0n, limit: 1000 };

  it("leaves out the line that was being written when the process died, and goes on after it", async () => {
    const path = newPath();
    const first = await open(path);
    const { pet } = await first.pets.create(REX);
    await first.close();
    appendFileSync(path, '["2","Lu');
    const second = await open(path);
    assert.deepEqual(await second.pets.list(all), [pet]);
    const { pet: next } = await second.pets.create(REX);
    await second.close();
    const third = await open(path);
    assert.deepEqual(await third.pets.list(all), [pet, next]);
    await third.close();
  });

  it("leaves nothing of a write that fails half-way, and works again with the disk", async () => {
    const path = newPath();
    const storage = await open(path);
    const { pet } = await storage.pets.create(REX);
    const handle = await fs.open(path);
    const failing = mock.method(
      Object.getPrototypeOf(handle),
      "appendFile",
      /** @this {import("node:fs/promises").FileHandle} @param {Buffer} bytes */
      async function (bytes) {
        await this.write(bytes.subarray(0, 20));
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      },
    );
    await handle.close();
    const record = { key: "key", fingerprint: "fingerprint" };
    await assert.rejects(storage.pets.create(REX, record), { code: "storage_unavailable" });
    failing.mock.restore();
    const { pet: next, earlierFingerprint } = await storage.pets.create(REX, record);
    assert.equal(earlierFingerprint, undefined);
    await storage.close();
    const later = await open(path);
    assert.deepEqual(await later.pets.list(all), [pet, next]);
    await later.close();
  });

  it("answers a create only once the disk has it", async () => {
    const path = newPath();
    const storage = await open(path);
    const handle = await fs.open(path);
    let flushed = false;
    const flushing = mock.method(Object.getPrototypeOf(handle), "datasync", async () => {
      await sleep(200);
      flushed = true;
    });
    await handle.close();
    await storage.pets.create(REX);
    assert.equal(flushed, true);
    flushing.mock.restore();
    await storage.close();
  });

  it("names the line that is damaged", async () => {
    const path = newPath();
    appendFileSync(path, '["1","Rex","7","sold"]\n\0\0\0\n');
    await assert.rejects(open(path), /Line 2 of .* is no pet/);
  });
});
