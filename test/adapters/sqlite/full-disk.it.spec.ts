import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Pet } from "../../../src/domain/pet.js";
import { codeOf, messageOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { makeFolder } from "../../support/in-empty-folder.js";
import { leaveOut } from "../../support/left-out.js";
import { openSqlite } from "../../support/open-sqlite.js";

const REX = { name: "x".repeat(200), categoryId: 7n, status: "sold" } as const;

describe("SqlitePetRepository, on a full disk", () => {
  let disk: string;

  beforeEach(function () {
    disk = makeFolder();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], { stdio: "pipe" });
    } catch {
      leaveOut("SQLite on a full disk", "run the tests as root on Linux");
      this.skip();
    }
  });
  afterEach(function () {
    if (!this.currentTest?.isPending()) execFileSync("umount", ["--lazy", disk]);
  });

  function fill(): void {
    for (let size = 64 * 1024; size >= 1; size >>= 1) {
      try {
        for (;;) writeFileSync(join(disk, "ballast"), Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        expect(error).to.have.property("code", "ENOSPC");
      }
    }
  }

  it("rejects only creates, loses nothing, and accepts creates again once space is free", async () => {
    let storage = await openSqlite(join(disk, "pets.db"));
    const acknowledged: Pet[] = [];
    const create = (key: number) => storage.pets.create(REX, { key: `${key}`, fingerprint: "" });
    const createOne = async (key: number) => void acknowledged.push((await create(key)).pet);
    const list = () => storage.pets.list({ status: undefined, after: 0n, limit: 1_000_000 });

    for (let key = 0; key < 20; key++) await createOne(key);
    fill();
    // The log may have room for some more creates.
    let more = 1000;
    await until(async () => (await codeOf(createOne(more++))) === "storage_unavailable");
    const repeats = acknowledged.slice(0, 20).map(async (pet, key) => {
      const [repeat, refused] = [create(key), create(2000 + key)];
      expect(await codeOf(refused)).to.equal("storage_unavailable");
      expect((await repeat).pet).to.deep.equal(pet);
    });
    await Promise.all([...repeats, storage.ping()]);
    expect(await list()).to.deep.equal(acknowledged);
    const pets = Array.from({ length: 1000 }, (_, n) => ({ ...REX, id: 9000n + BigInt(n) }));
    const storing = storage.archive.storePets(pets.map((pet) => ({ pet, record: undefined })));
    expect(await messageOf(storing)).to.match(/cannot be written: the disk is full/);

    rmSync(join(disk, "ballast"));
    await createOne(3000);
    await storage.close();
    storage = await openSqlite(join(disk, "pets.db"));
    expect(await list()).to.deep.equal(acknowledged);
    await storage.close();
  });
});
