import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SILENT_CONTEXT, type Storage } from "petstore/storage";
import adapter from "../src/storage.js";
import { Cluster } from "./cluster.js";

const run = promisify(execFile);
const PETS = 1500;

const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve("petstore/package.json")),
  "dist/src/main.js",
);

describe("petstore copy", { timeout: 120_000 }, () => {
  it("moves a catalogue out of PostgreSQL and in again, with ids and keys, and verifies it", async () => {
    const cluster = await Cluster.start();
    const folder = mkdtempSync(join(tmpdir(), "petstore-copy-"));
    const open = async (url: string) => {
      const storage: Storage = await adapter.open(url, SILENT_CONTEXT);
      assert.ok(storage.archive);
      return { ...storage, archive: storage.archive };
    };
    const copy = async (from: string, to: string) => {
      const modules = fileURLToPath(import.meta.resolve("../src/storage.js"));
      const env = { PATH: process.env.PATH, PETSTORE_STORAGE_ADAPTERS: modules };
      return (await run(process.execPath, [PROGRAM, "copy", from, to], { env })).stdout;
    };
    try {
      const [from, to] = [cluster.newUrl(), cluster.newUrl()];
      const source = await open(from);
      const statuses = ["available", "pending", "sold"] as const;
      for (let n = 0; n < PETS; n += 100) {
        const creates = Array.from({ length: 100 }, (_, place) => {
          const pet = {
            name: `pet ${n + place}`,
            categoryId: -BigInt(n),
            status: statuses[place % 3] ?? "sold",
          };
          return source.pets.create(
            pet,
            place % 2 ? { key: `key ${n + place}`, fingerprint: `${n}` } : undefined,
          );
        });
        await Promise.all(creates);
      }
      const file = `sqlite:${folder}/pets.db`;
      assert.match(await copy(from, file), /^copied 1500, present 0, verified 1500 in /);
      assert.match(await copy(file, to), /^copied 1500, present 0, verified 1500 in /);
      const target = await open(to);
      for (let after = 0n; ; ) {
        const page = await source.archive.readPets({ after, limit: 1000 });
        assert.deepEqual(await target.archive.readPets({ after, limit: 1000 }), page);
        const last = page.at(-1);
        if (!last) break;
        after = last.pet.id;
      }
      assert.ok((await target.archive.highestId()) >= (await source.archive.highestId()));
      await Promise.all([source.close(), target.close()]);
      // Two names of one storage.
      const again = from.replace("127.0.0.1", "localhost");
      await assert.rejects(copy(from, again), { code: 2, stderr: /FROM and TO are the same storage/ });
    } finally {
      await cluster.remove();
      rmSync(folder, { recursive: true });
    }
  });
});
