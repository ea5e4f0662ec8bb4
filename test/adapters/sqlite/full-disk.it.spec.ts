import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
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

  it("refuses creates, still reads, loses nothing, and takes creates again once space is free", async () => {
    let storage = await openSqlite(path);
    const { pets, archive } = storage;
    const acknowledged: Pet[] = [];
    let keys = 0;
    async function create(): Promise<string | undefined> {
      const creation = pets.create(REX, { key: `${++keys}`, fingerprint: "" });
      return codeOf(creation.then(({ pet }) => acknowledged.push(pet)));
    }
    const list = () => pets.list({ status: undefined, after: 0n, limit: 1_000_000 });

    for (let n = 0; n < 100; n++) expect(await create()).to.equal(undefined);
    fill();
    // The log may have some room left.
    await until(async () => (await create()) === "storage_unavailable");
    expect(await list()).to.deep.equal(acknowledged);
    expect(await pets.get(1n)).to.deep.equal(acknowledged[0]);
    const archived = Array.from({ length: 1000 }, (_, n) => ({
      pet: { ...REX, id: 9000n + BigInt(n) },
      record: undefined,
    }));
    expect(await messageOf(archive.storePets(archived))).to.match(/cannot be written: the disk is full/);
    freeSpace();
    for (let n = 0; n < 100; n++) expect(await create()).to.equal(undefined);
    expect(await list()).to.deep.equal(acknowledged);
    await storage.close();

    storage = await openSqlite(path);
    expect(await storage.pets.list({ status: undefined, after: 0n, limit: 1_000_000 })).to.deep.equal(
      acknowledged,
    );
    await storage.close();
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA integrity_check").get()).to.deep.equal({ integrity_check: "ok" });
    database.close();
  });
});
