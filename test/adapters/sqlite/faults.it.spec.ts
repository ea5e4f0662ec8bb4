import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { isStorageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { codeOf, messageOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { leaveOut } from "../../support/left-out.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";
import { runProcess } from "../../support/run-process.js";
import { makeFolder } from "../../support/temporary-folder.js";

const REX: NewPet = { name: "Rex", categoryId: 7n, status: "sold" };

const listAll = (storage: SqliteStorage) =>
  storage.pets.list({ status: undefined, after: 0n, limit: 1_000_000 });

describe("SqlitePetRepository in trouble", () => {
  let path: string;

  const folder = inEmptyFolder();
  beforeEach(() => {
    path = join(folder(), "pets.db");
  });

  afterEach(() => mock.restoreAll());

  /** The error that refuses the file at start; undefined if the start opens it. */
  function startError(): Promise<string | undefined> {
    return messageOf(openSqlite(path).then((storage) => storage.close()));
  }

  /** Makes a file with this many pets, whole in itself, that no connection of this process has ever seen. */
  async function storePets(count: number): Promise<Pet[]> {
    const made = join(folder(), "made.db");
    const storage = await openSqlite(made);
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        storage.pets.create({ ...REX, name: `${n}`.padEnd(100) }, { key: `${n}`, fingerprint: "" }),
      ),
    );
    const pets = await listAll(storage);
    await storage.close();
    const database = new DatabaseSync(made);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    copyFileSync(made, path);
    return pets;
  }

  describe("a file that another process has locked", () => {
    it("is refused at start with a remedy, after some five seconds", async () => {
      await storePets(1);
      const holder = runProcess("sqlite-process", ["lockWhole", path]);
      expect(await holder.nextLine()).to.equal("locked");
      const begun = performance.now();
      expect(await startError()).to.match(/another program holds its lock; end that program, or name/);
      expect(performance.now() - begun).to.be.within(3000, 20_000);
      await holder.release();
      expect(await startError()).to.equal(undefined);
    });

    // every-storage.it.spec.ts waits until it is refused.
    it("makes a create wait, while reads go on", async () => {
      const [pet] = await storePets(1);
      const storage = await openSqlite(path);
      const holder = runProcess("sqlite-process", ["lock", path]);
      expect(await holder.nextLine()).to.equal("locked");
      let waiting = true;
      const creation = storage.pets.create(REX).finally(() => (waiting = false));
      for (let read = 0; read < 20; read++) {
        // A read that waited for the lock would be refused in the end.
        expect(await storage.pets.get(1n)).to.deep.equal(pet);
        await sleep(10);
      }
      expect(waiting).to.equal(true);
      await holder.release();
      const { pet: second } = await creation;
      expect(await listAll(storage)).to.deep.equal([pet, second]);
      await storage.close();
    });
  });

  it("stores no pet whose create began to wait so long ago that its client has a 503", async () => {
    const storage = await openSqlite(path);
    const holder = runProcess("sqlite-process", ["lock", path]);
    expect(await holder.nextLine()).to.equal("locked");
    const first = storage.pets.create(REX);
    // Now the thread has it, and waits for the lock.
    await sleep(50);
    const late = codeOf(storage.pets.create(REX));
    const { now } = performance;
    mock.method(performance, "now", () => now.call(performance) + 5000);
    const next = storage.pets.create(REX);
    await holder.release();
    const created = [await first, await next].map(({ pet }) => pet);
    expect(await late).to.equal("storage_unavailable");
    expect(await listAll(storage)).to.deep.equal(created);
    await storage.close();
  });

  it("refuses an id from 2^53 on for good, with what to do: waiting would not help", async () => {
    const storage = await openSqlite(path);
    const tooHigh = { pet: { ...REX, id: 2n ** 53n }, record: undefined };
    const error = await storage.archive.storePets([tooHigh]).catch((error: Error) => error);
    expect(error)
      .to.have.property("message")
      .that.matches(/an id from 2\^53 on, .*; give it a lower one/);
    expect(isStorageUnavailable(error)).to.equal(false);
    await storage.close();
  });

  describe("a file that may not be written", () => {
    const RULE =
      /this user may not write it, .*or its folder; correct the path, or their owner and permissions/;

    /** Permissions do not bind root, unless it gives this right away. */
    const BOUND =
      process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];

    beforeEach(() => storePets(1));
    // Only root could remove a folder that is read-only.
    afterEach(() => chmodSync(folder(), 0o700));

    async function create(file = path): Promise<string> {
      const child = runProcess("sqlite-process", ["createOne", file], process.env, BOUND);
      const line = await child.nextLine();
      await child.release();
      return line;
    }

    for (const [what, change, file] of [
      ["the file is read-only", () => chmodSync(path, 0o444), "pets.db"],
      ["its folder, which must hold the log, is read-only", () => chmodSync(folder(), 0o555), "pets.db"],
      ["its -wal is read-only", () => writeFileSync(`${path}-wal`, "", { mode: 0o444 }), "pets.db"],
      ["its folder cannot be made", () => chmodSync(folder(), 0o555), "new/new.db"],
    ] as const) {
      it(`is refused at start if ${what}`, async () => {
        expect(await create()).to.equal("created");
        change();
        expect(await create(join(folder(), file))).to.match(RULE);
      });
    }
  });

  describe("a file that is damaged", () => {
    const UNAVAILABLE = "storage_unavailable";
    const DAMAGED = /it is damaged, or no SQLite database; restore it from a backup, or name another file/;

    it("is refused at start if it is no SQLite file", async () => {
      for (const content of ["xx", "no database at all. ".repeat(1000), Buffer.alloc(8192, 0xff)]) {
        writeFileSync(path, content);
        expect(await startError()).to.match(DAMAGED);
        expect(readFileSync(path).equals(Buffer.from(content))).to.equal(true);
      }
    });

    it("is refused at start or answers storage_unavailable if a page is overwritten", async () => {
      const pets = await storePets(300);
      const whole = readFileSync(path);
      const outcomes = [];
      for (let at = 0; at < whole.length; at += 4096) {
        const broken = Buffer.from(whole).fill(0xa5, at, at + 4096);
        path = join(folder(), `${at}.db`);
        writeFileSync(path, broken);
        outcomes.push(await outcome(pets));
      }
      expect(outcomes.length).to.be.greaterThan(10);
      // The first page is the schema's, the second the root of pets: without them there is no use in starting.
      expect(outcomes.slice(0, 2)).to.deep.equal(["refused at start", "refused at start"]);
      expect(new Set(outcomes)).to.deep.equal(new Set(["refused at start", UNAVAILABLE]));
    });

    it("crashes no process if it is overwritten while it is open", async () => {
      await storePets(300);
      const storage = await openSqlite(path);
      writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5));
      const { pets, ping } = storage;
      for (const use of [() => listAll(storage), () => pets.create(REX), () => pets.get(300n), ping]) {
        expect(await codeOf(use())).to.be.oneOf([UNAVAILABLE, undefined]);
      }
      await storage.close();
    });

    /** Uses the file in every way. Every answer without an error must be true. */
    async function outcome(pets: readonly Pet[]): Promise<string> {
      let storage: SqliteStorage;
      try {
        storage = await openSqlite(path);
      } catch (error) {
        expect((error as Error).message).to.match(/^The SQLite file .* cannot be used: /);
        return "refused at start";
      }
      try {
        const codes = new Set<string | undefined>();
        const truth = async (answer: Promise<unknown>, expected: unknown) => {
          codes.add(await codeOf(answer.then((value) => expect(value).to.deep.equal(expected))));
        };
        await truth(listAll(storage), pets);
        await truth(storage.pets.list({ status: "sold", after: 0n, limit: 1000 }), pets);
        for (const pet of pets) await truth(storage.pets.get(pet.id), pet);
        for (const [n, pet] of pets.entries()) {
          const again = storage.pets.create(REX, { key: `${n}`, fingerprint: "" });
          await truth(again, { pet, earlierFingerprint: "" });
        }
        codes.add(await codeOf(storage.pets.create(REX)));
        return codes.has(UNAVAILABLE) ? UNAVAILABLE : "as if nothing had happened";
      } finally {
        await storage.close();
      }
    }
  });

  describe("a file on a full disk", () => {
    let disk: string;
    let ballast: string;

    // A disk for each test: the driver closes a file some time after the call, which would make room on the next one's.
    beforeEach(function () {
      disk = makeFolder();
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "pipe" });
      } catch (error) {
        // Only Linux's root can mount a small disk. With CI=true no machine may skip this test.
        if (process.env.CI === "true") throw error;
        leaveOut("SQLite on a full disk", "run the tests as root on Linux");
        this.skip();
      }
      path = join(disk, "pets.db");
      ballast = join(disk, "ballast");
    });
    afterEach(function () {
      if (this.currentTest?.isPending()) return;
      execFileSync("umount", ["--lazy", disk]);
    });

    function fillDisk(): void {
      for (let piece = 64 * 1024; piece >= 1; piece = Math.floor(piece / 2)) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(piece), { flag: "a" });
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).to.equal("ENOSPC");
        }
      }
    }

    it("is refused at start with a remedy", async () => {
      fillDisk();
      expect(await startError()).to.match(/the disk is full or failing; make room and start again/);
      rmSync(ballast);
      expect(await startError()).to.equal(undefined);
    });

    it("refuses creates, goes on with reads, loses nothing, and works again once there is room", async () => {
      let storage = await openSqlite(path);
      const acknowledged: Pet[] = [];
      let keys = 0;
      const name = "x".repeat(200);
      async function createUntilRefused(bound: number): Promise<number> {
        for (let round = 0; round < bound; round++) {
          const batch = await Promise.allSettled(
            Array.from({ length: 5 }, () =>
              storage.pets.create({ ...REX, name }, { key: `${++keys}`, fingerprint: "" }),
            ),
          );
          for (const one of batch) if (one.status === "fulfilled") acknowledged.push(one.value.pet);
          const refused = batch.filter((one) => one.status === "rejected");
          for (const { reason } of refused) expect(reason).to.have.property("code", "storage_unavailable");
          if (refused.length > 0) {
            expect(refused).to.have.length(5);
            return round;
          }
        }
        return bound;
      }

      expect(await createUntilRefused(20)).to.equal(20);
      fillDisk();
      for (let attempt = 0; attempt < 3; attempt++) expect(await createUntilRefused(21)).to.be.lessThan(21);
      await until(async () => {
        fillDisk();
        return (await codeOf(storage.ping())) === "storage_unavailable";
      });
      expect(await listAll(storage)).to.deep.equal(acknowledged);
      expect(await storage.pets.get(1n)).to.deep.equal(acknowledged[0]);
      rmSync(ballast);
      // Without any create, since a service that is not ready gets none.
      await until(async () => (await codeOf(storage.ping())) === undefined);
      expect(await createUntilRefused(22)).to.equal(22);
      expect(await listAll(storage)).to.deep.equal(acknowledged);
      await storage.close();

      const database = new DatabaseSync(path);
      expect(database.prepare("PRAGMA integrity_check").get().integrity_check).to.equal("ok");
      database.close();
      storage = await openSqlite(path);
      expect(await listAll(storage)).to.deep.equal(acknowledged);
      await storage.close();
    });

    it("refuses the pets of an archive with a remedy, and takes them once there is room", async () => {
      const storage = await openSqlite(path);
      fillDisk();
      const pets = Array.from({ length: 1000 }, (_, n) => ({
        pet: { ...REX, id: BigInt(n + 1) },
        record: undefined,
      }));
      const error = await storage.archive.storePets(pets).catch((error: Error) => error);
      expect(String(error)).to.match(/the disk is full or failing; make room/);
      rmSync(ballast);
      await storage.archive.storePets(pets);
      expect(await listAll(storage)).to.have.length(1000);
      await storage.close();
    });
  });
});
