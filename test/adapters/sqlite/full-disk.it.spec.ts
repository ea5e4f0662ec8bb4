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
  let path: string;

  beforeEach(function () {
    disk = makeFolder();
    path = join(disk, "pets.db");
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], { stdio: "pipe" });
    } catch {
      // Only root can mount a small disk.
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
  const freeSpace = () => rmSync(join(disk, "ballast"));

  it("is refused at the start with what to do", async () => {
    fill();
    expect(await messageOf(openSqlite(path))).to.match(/the disk is full/);
    freeSpace();
    await (await openSqlite(path)).close();
  });

  it("refuses creates alone, loses nothing, and takes creates again once space is free", async () => {
    let storage = await openSqlite(path);
    const acknowledged: Pet[] = [];
    const create = (n: number) => storage.pets.create(REX, { key: `${n}`, fingerprint: "" });
    const createAll = async (first: number) => {
      for (let n = first; n < first + 50; n++) acknowledged.push((await create(n)).pet);
    };
    const list = () => storage.pets.list({ status: undefined, after: 0n, limit: 1_000_000 });

    await createAll(0);
    fill();
    // The log may have some room left.
    let more = 1000;
    await until(async () => {
      const creation = create(++more).then(({ pet }) => acknowledged.push(pet));
      return (await codeOf(creation)) === "storage_unavailable";
    });
    const repeats = acknowledged.slice(0, 20).map(async (pet, n) => {
      const [repeat, refused] = [create(n), create(2000 + n)];
      expect(await codeOf(refused)).to.equal("storage_unavailable");
      expect((await repeat).pet).to.deep.equal(pet);
    });
    await Promise.all([...repeats, storage.ping()]);
    expect(await list()).to.deep.equal(acknowledged);
    const archived = Array.from({ length: 1000 }, (_, n) => ({
      pet: { ...REX, id: 9000n + BigInt(n) },
      record: undefined,
    }));
    expect(await messageOf(storage.archive.storePets(archived))).to.match(
      /cannot be written: the disk is full/,
    );

    freeSpace();
    await createAll(3000);
    await storage.close();
    storage = await openSqlite(path);
    expect(await list()).to.deep.equal(acknowledged);
    await storage.close();
  });
});
