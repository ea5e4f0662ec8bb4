import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { openDatabase } from "../../../src/adapters/sqlite/database.js";
import { sharedNow, WriterGauges } from "../../../src/adapters/sqlite/writer/gauges.js";
import type { Answer, Request } from "../../../src/adapters/sqlite/writer/messages.js";
import { Committer } from "../../../src/adapters/sqlite/writer/thread/committer.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("The deadline of a create of SQLite", () => {
  let folder: string;
  let database: DatabaseSyncInstance;
  let other: DatabaseSyncInstance;
  let committer: Committer;
  let answers: Map<number, Answer>;
  /** Called at each attempt to get the lock, with the number of the attempt. */
  let asked: (attempt: number) => void;

  beforeEach(async () => {
    folder = makeFolder();
    const path = join(folder, "pets.db");
    database = await openDatabase({ path, name: path }, true, new WriterGauges());
    other = new DatabaseSync(path);
    answers = new Map();
    asked = () => {};
    let attempts = 0;
    const watched = {
      exec(sql: string) {
        if (sql === "BEGIN IMMEDIATE") asked(++attempts);
        database.exec(sql);
      },
      prepare: database.prepare.bind(database),
    };
    committer = new Committer(watched as DatabaseSyncInstance, path, new WriterGauges(), (given) => {
      for (const answer of given) answers.set(answer.number, answer);
    });
  });
  afterEach(() => {
    other.close();
    database.close();
    removeFolder(folder);
  });

  /** A create that may wait for so many milliseconds from now on. */
  const create = (number: number, patience: number): Request => ({
    number,
    deadline: sharedNow() + patience,
    work: { does: "create", values: ["Rex", 7n, "sold", null, null] },
  });

  function work(...requests: Request[]): void {
    const inbox = { receive: () => requests.shift(), wait() {} };
    for (let next = inbox.receive(); next; ) next = committer.work(next, inbox);
  }

  it("does not refuse creates that came later", () => {
    // As after a commit for which the disk took seconds.
    work(create(1, -1), create(2, 60_000), create(3, 60_000));
    expect(answers.get(1)?.error?.message).to.match(/waited for too long/);
    expect([answers.get(2)?.error, answers.get(3)?.error]).to.deep.equal([undefined, undefined]);
  });

  it("refuses that create alone while others wait for the lock as well", () => {
    other.exec("BEGIN IMMEDIATE");
    asked = () => {
      if (answers.has(1) && other.isTransaction) other.exec("COMMIT");
    };
    work(create(1, 50), create(2, 60_000), create(3, 60_000));
    expect(answers.get(1)?.error?.message).to.match(/waited for too long/);
    expect([answers.get(2)?.error, answers.get(3)?.error]).to.deep.equal([undefined, undefined]);
    expect(other.prepare("SELECT count(*) AS pets FROM pets").get().pets).to.equal(2);
  });

  it("costs few tries if a program keeps the lock for long", () => {
    other.exec("BEGIN IMMEDIATE");
    let tries = 0;
    let soon = 0;
    asked = () => {
      tries++;
      if (sharedNow() - begun < 1000) soon++;
    };
    const begun = sharedNow();
    work(create(1, 2000));
    expect(tries - soon, "in the second second").to.be.within(5, 210);
    expect(soon, "in the first").to.be.greaterThan(tries - soon);
  }).timeout(10_000);

  it("counts for each create that waits for the lock", () => {
    other.exec("BEGIN IMMEDIATE");
    work(create(1, 50), create(2, 100));
    expect([...answers.keys()]).to.deep.equal([1, 2]);
    expect(answers.get(2)?.error?.message).to.match(/waited for too long/);
  });
});
