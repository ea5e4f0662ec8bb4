import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { describeContract, storageOf } from "petstore/storage/contract";
import adapter from "./storage.js";

/** @import { NewPet, Pet, StorageContext } from "petstore/storage" */

const REX = /** @type {const} */ ({ name: "Rex", categoryId: 7n, status: "available" });

describe("storage-file", () => {
  const folder = mkdtempSync(join(tmpdir(), "storage-file-"));
  let files = 0;
  const newPath = () => join(folder, `pets-${++files}.jsonl`);
  after(() => rmSync(folder, { recursive: true }));

  describeContract(storageOf(adapter, { newUrl: () => `file:${newPath()}`, createAndDie }), { describe, it });

  /** @type {StorageContext} */
  const context = { log: { debug() {}, info() {}, warn() {}, error() {} }, addReading() {} };
  const all = { status: undefined, after: 0n, limit: 1000 };

  it("leaves out the line that was being written when the process died, and goes on after it", async () => {
    const path = newPath();
    const first = await adapter.open(`file:${path}`, context);
    const { pet } = await first.create(REX);
    await first.close();
    appendFileSync(path, '["2","Lu');
    const second = await adapter.open(`file:${path}`, context);
    assert.deepEqual(await second.list(all), [pet]);
    const { pet: next } = await second.create(REX);
    await second.close();
    const third = await adapter.open(`file:${path}`, context);
    assert.deepEqual(await third.list(all), [pet, next]);
    await third.close();
  });

  it("leaves nothing of a write that fails half-way, and works again with the disk", async () => {
    const path = newPath();
    const storage = await adapter.open(`file:${path}`, context);
    const { pet } = await storage.create(REX);
    const handle = await open(path);
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
    await assert.rejects(storage.create(REX, record), { code: "storage_unavailable" });
    failing.mock.restore();
    const { pet: next, replayed } = await storage.create(REX, record);
    assert.equal(replayed, undefined);
    await storage.close();
    const later = await adapter.open(`file:${path}`, context);
    assert.deepEqual(await later.list(all), [pet, next]);
    await later.close();
  });

  it("answers a create only once the disk has it", async () => {
    const path = newPath();
    const storage = await adapter.open(`file:${path}`, context);
    const handle = await open(path);
    let flushed = false;
    const flushing = mock.method(Object.getPrototypeOf(handle), "datasync", async () => {
      await sleep(200);
      flushed = true;
    });
    await handle.close();
    await storage.create(REX);
    assert.equal(flushed, true);
    flushing.mock.restore();
    await storage.close();
  });

  it("names the line that is damaged", async () => {
    const path = newPath();
    appendFileSync(path, '["1","Rex","7","sold"]\n\0\0\0\n');
    await assert.rejects(adapter.open(`file:${path}`, context), /Line 2 of .* is no pet/);
  });
});

/** Lets a process create the pets, and kills it when it tells of the last one. @param {string} url @param {readonly NewPet[]} pets */
async function createAndDie(url, pets) {
  const script = `
    import adapter from ${JSON.stringify(import.meta.resolve("./storage.js"))};
    const storage = await adapter.open(${JSON.stringify(url)});
    const told = ({ pet }) => console.log(JSON.stringify({ ...pet, id: String(pet.id), categoryId: String(pet.categoryId) }));
    for (const pet of ${JSON.stringify(pets.map((pet) => ({ ...pet, categoryId: `${pet.categoryId}` })))}) {
      storage.create({ ...pet, categoryId: BigInt(pet.categoryId) }).then(told);
    }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {Pet[]} */
  const answered = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const pet = JSON.parse(line);
    answered.push({ ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) });
    if (answered.length === pets.length) child.kill("SIGKILL");
  }
  return answered;
}
