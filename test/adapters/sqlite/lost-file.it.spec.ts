import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { codeOf, messageOf } from "../../support/code-of.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

const MISSING =
  /cannot be used: pets that it had are missing.*; restore it from a backup, or give up .*\.made'$/;

describe("A SQLite file that goes", () => {
  const folder = inEmptyFolder();
  let path: string;
  let storage: SqliteStorage;

  beforeEach(async () => {
    path = join(folder(), "pets.db");
    storage = await openSqlite(path);
    await storage.pets.create(REX);
  });

  const LOSSES: Record<string, () => void> = {
    "file is moved": () => renameSync(path, `${path}.away`),
    "file is replaced": () => {
      renameSync(path, `${path}.away`);
      writeFileSync(path, "");
    },
    "-wal is deleted": () => rmSync(`${path}-wal`),
    "-shm is deleted": () => rmSync(`${path}-shm`),
    "-wal is replaced": () => {
      rmSync(`${path}-wal`);
      writeFileSync(`${path}-wal`, "");
    },
  };
  for (const [how, lose] of Object.entries(LOSSES)) {
    it(`takes no pet if its ${how}, says so, and has lost none at the next start, though it was killed`, async () => {
      await Promise.all(Array.from({ length: 100 }, () => storage.pets.create(REX)));
      lose();
      for (const work of [storage.ping(), storage.pets.create(REX)]) {
        const error = await work.catch((reason) => reason);
        expect(error.code).to.equal("storage_unavailable");
        expect(error.cause.message).to.match(
          /gone, or another one is in its place; put it back, or end every process/,
        );
      }
      // The files as they are now are those that a kill leaves.
      const killed = join(folder(), "killed.db");
      copyFileSync(existsSync(`${path}.away`) ? `${path}.away` : path, killed);
      const found = await openSqlite(killed);
      expect(await found.archive.countPets()).to.equal(101);
      await found.close();
      await storage.close();
    });
  }

  it("takes pets again once it is back", async () => {
    renameSync(path, `${path}.away`);
    expect(await codeOf(storage.ping())).to.equal("storage_unavailable");
    renameSync(`${path}.away`, path);
    await storage.ping();
    expect((await storage.pets.create(REX)).pet.id).to.equal(2n);
    await storage.close();
  });

  /** More than fits into the log: a checkpoint has moved some of it into the file. */
  async function outgrowLog(): Promise<void> {
    for (let round = 0; round < 120; round++) {
      await Promise.all(
        Array.from({ length: 200 }, () => storage.pets.create({ ...REX, name: "x".repeat(200) })),
      );
    }
  }

  /** Runs SQL as another program does. */
  function runSql(sql: string): void {
    const other = new DatabaseSync(path);
    other.exec(sql);
    other.close();
  }

  const checkpoint = () => runSql("PRAGMA wal_checkpoint(PASSIVE)");

  async function expectRefused(...storages: SqliteStorage[]): Promise<void> {
    for (const one of storages) {
      for (const work of [one.ping(), one.pets.create(REX)]) {
        expect(await codeOf(work)).to.equal("storage_unavailable");
      }
    }
  }

  const OVERWRITES: Record<string, (backup: Buffer) => void> = {
    "overwritten it in place": (backup) => writeFileSync(path, backup),
    "renamed another over it": (backup) => {
      writeFileSync(`${path}.backup`, backup);
      renameSync(`${path}.backup`, path);
    },
  };
  for (const [how, overwrite] of Object.entries(OVERWRITES)) {
    it(`takes no pet once another program has ${how}, and is refused at the next start, which leaves it as it is`, async () => {
      const other = await openSqlite(path);
      const backup = readFileSync(path);
      await outgrowLog();
      await other.pets.create(REX);
      // Their checkpoints have ended: what is written meanwhile nobody can tell from those.
      await Promise.all([storage.ping(), other.ping()]);
      overwrite(backup);
      await expectRefused(storage, other);
      // What a kill leaves.
      for (const end of ["", "-wal", ".made"]) copyFileSync(path + end, `${folder()}/killed.db${end}`);
      await storage.close();
      await other.close();
      path = join(folder(), "killed.db");
      expect(await messageOf(openSqlite(path))).to.match(/cannot be used: .*; restore it from a backup\.$/);
      expect(readFileSync(path)).to.deep.equal(backup);
    });
  }

  it("takes no pet once it was overwritten by an older one that is whole, nor after a checkpoint of another program", async () => {
    checkpoint();
    const backup = readFileSync(path);
    await storage.pets.create(REX);
    checkpoint();
    await storage.ping();
    writeFileSync(path, backup);
    await expectRefused(storage);
    checkpoint();
    await expectRefused(storage);
    await storage.close();
  });

  it("takes no pet once it was overwritten by an older one that is sound with the log, and is refused at the next start", async () => {
    const create = (count: number) =>
      Promise.all(Array.from({ length: count }, () => storage.pets.create(REX)));
    await create(300);
    await storage.close();
    const backup = readFileSync(path);
    storage = await openSqlite(path);
    await create(600);
    await storage.close();
    storage = await openSqlite(path);
    // The log holds the last pages only.
    for (let count = 0; count < 20; count++) await storage.pets.create(REX);
    writeFileSync(path, backup);
    await expectRefused(storage);
    for (const end of ["", "-wal", ".made"]) copyFileSync(path + end, `${folder()}/killed.db${end}`);
    await storage.close();
    path = join(folder(), "killed.db");
    expect(await messageOf(openSqlite(path))).to.match(MISSING);
  });

  it("is used on if it was but touched", async () => {
    utimesSync(path, new Date(), new Date());
    expect((await storage.pets.create(REX)).pet.id).to.equal(2n);
    expect(readFileSync(`${path}.made`, "utf8")).to.equal("");
    await storage.close();
  });

  it("is read no more, by a program that only reads it, once another one is in its place", async () => {
    await storage.close();
    const source = await openSqlite(path, { mayMake: false });
    expect(await source.archive.countPets()).to.equal(1);
    renameSync(path, `${path}.away`);
    copyFileSync(`${path}.away`, path);
    expect(await codeOf(source.archive.countPets())).to.equal("storage_unavailable");
    rmSync(path);
    renameSync(`${path}.away`, path);
    expect(await source.archive.countPets()).to.equal(1);
    await source.close();
  });

  it("is used on if it was but touched, though its last pet has not the highest id", async () => {
    await storage.archive.raiseIds(100n);
    utimesSync(path, new Date(), new Date());
    expect((await storage.pets.create(REX)).pet.id).to.equal(101n);
    runSql("DELETE FROM pets WHERE id = 101");
    await storage.ping();
    utimesSync(path, new Date(), new Date());
    expect((await storage.pets.create(REX)).pet.id).to.equal(102n);
    expect(readFileSync(`${path}.made`, "utf8")).to.equal("");
    await storage.close();
  });

  it("takes no pet once its -wal was cut off, nor at the next start, unless an operator gives up what is missing", async () => {
    checkpoint();
    await storage.pets.create(REX);
    rmSync(`${path}.made`);
    writeFileSync(`${path}-wal`, "");
    await expectRefused(storage);
    expect(readFileSync(`${path}.made`, "utf8")).to.match(/^0+2$/);
    await storage.close();
    expect(await messageOf(openSqlite(path))).to.match(MISSING);
    writeFileSync(`${path}.made`, "");
    storage = await openSqlite(path);
    expect((await storage.pets.create(REX)).pet.id).to.equal(2n);
    expect(readFileSync(`${path}.made`)).to.have.length(0);
    await storage.close();
  });

  it("has in its mark the highest id that any of its processes knows", async () => {
    const other = await openSqlite(path);
    checkpoint();
    for (let count = 0; count < 3; count++) await other.pets.create(REX);
    writeFileSync(`${path}-wal`, "");
    await expectRefused(storage);
    expect(readFileSync(`${path}.made`, "utf8")).to.match(/^0+1$/);
    await expectRefused(other, storage);
    expect(readFileSync(`${path}.made`, "utf8")).to.match(/^0+4$/);
    await Promise.all([storage.close(), other.close()]);
    expect(await messageOf(openSqlite(path))).to.match(MISSING);
  });

  it("leaves what a link leads to that another user may have put in the place of its mark", async () => {
    const other = join(dirname(path), "other");
    writeFileSync(other, "kept");
    rmSync(`${path}.made`);
    symlinkSync(other, `${path}.made`);
    rmSync(`${path}-shm`);
    await expectRefused(storage);
    await storage.close();
    expect(readFileSync(other, "utf8")).to.equal("kept");
    expect(await messageOf(openSqlite(path))).to.match(/^The SQLite file /);
    expect(readFileSync(other, "utf8")).to.equal("kept");
  });

  it("is used on through its own checkpoints, and those of another process", async () => {
    const other = await openSqlite(path);
    const name = "x".repeat(200);
    for (let round = 0; round < 40; round++) {
      for (const one of [storage, other]) {
        await Promise.all(Array.from({ length: 200 }, () => one.pets.create({ ...REX, name })));
        await Promise.all([storage.ping(), other.ping()]);
      }
    }
    const shell = new DatabaseSync(path);
    shell.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    shell.close();
    await storage.pets.create(REX);
    await Promise.all([storage.ping(), other.ping()]);
    await storage.close();
    await other.close();
  });

  for (const [how, change] of Object.entries({
    "cut off": (whole: Buffer) => whole.subarray(0, -4096),
    "longer than it says": (whole: Buffer) => Buffer.concat([whole, Buffer.alloc(4096)]),
  })) {
    it(`is refused at start if it is ${how}`, async () => {
      await storage.close();
      writeFileSync(path, change(readFileSync(path)));
      expect(await messageOf(openSqlite(path))).to.match(
        /damaged|does not fit its header.*; restore it from a/,
      );
    });
  }

  describe("while no service runs", () => {
    beforeEach(() => storage.close());

    const remove = () => {
      for (const name of readdirSync(folder())) if (!name.endsWith(".made")) rmSync(join(folder(), name));
    };
    const LOST: Record<string, () => void> = {
      gone: remove,
      empty: () => {
        remove();
        writeFileSync(path, "");
      },
    };
    for (const [how, lose] of Object.entries(LOST)) {
      it(`is not made again if it is ${how}, until an operator gives it up`, async () => {
        lose();
        const before = readdirSync(folder());
        const error = await openSqlite(path).catch((reason) => reason);
        expect(error.message).to.match(
          new RegExp(`is ${how}.*; restore it from a backup, or give .*: delete .*pets\\.db\\.made\\.$`),
        );
        expect(readdirSync(folder())).to.deep.equal(before);
        rmSync(`${path}.made`);
        await (await openSqlite(path)).close();
      });
    }
  });

  it("closes while another program reads it", async () => {
    const other = new DatabaseSync(path);
    other.exec("BEGIN; SELECT * FROM pets");
    const closed = storage.close().then(() => "closed");
    // A checkpoint that waits for the reader gives up after 4 s, and holds up every create meanwhile.
    const patience = new AbortController();
    const late = sleep(3000, "held up", patience).catch(() => undefined);
    expect(await Promise.race([closed, late])).to.equal("closed");
    patience.abort();
    other.close();
  });
});
