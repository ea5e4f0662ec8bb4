import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect } from "chai";
import { openDatabase } from "../../../src/adapters/sqlite/database.js";
import { sharedNow, WriterGauges } from "../../../src/adapters/sqlite/writer/gauges.js";
import type {
  Answer,
  CreatesResult,
  Request,
  SentValue,
} from "../../../src/adapters/sqlite/writer/messages.js";
import { Committer } from "../../../src/adapters/sqlite/writer/thread/committer.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("Committer", () => {
  let folder: string;
  let database: DatabaseSyncInstance;
  let gauges: WriterGauges;
  let committer: Committer;
  let requests: Request[];
  let answers: Answer[];
  let answered: () => void;
  let waits: number;

  beforeEach(async () => {
    folder = makeFolder();
    const path = join(folder, "pets.db");
    gauges = new WriterGauges();
    database = await openDatabase({ path, name: path }, true, gauges);
    requests = [];
    answers = [];
    answered = () => {};
    waits = 0;
    committer = new Committer(database, path, gauges, (given) => {
      answers.push(...given);
      answered();
    });
  });
  afterEach(() => {
    database.close();
    removeFolder(folder);
  });

  const create = (...names: string[]): Request => keyed(...names.map((name) => [name, null] as const));
  const keyed = (...pets: (readonly [name: string, key: string | null])[]): Request => ({
    number: 1,
    deadline: sharedNow() + 60_000,
    work: {
      does: "create",
      values: pets.flatMap(([name, key]): SentValue[] => [name, 7n, "sold", key, key && `print of ${name}`]),
    },
  });

  function work(...given: Request[]): void {
    requests.push(...given);
    const inbox = { receive: () => requests.shift(), wait: () => void waits++ };
    for (let next = inbox.receive(); next; ) next = committer.work(next, inbox) ?? inbox.receive();
  }

  const results = () => answers.map(({ result }) => result as CreatesResult);

  it("gives ids in the order of the creates, and none to a create whose key is stored already", () => {
    work(keyed(["a", "x"], ["b", null]));
    work(keyed(["c", "x"], ["d", "y"], ["e", "y"], ["f", null]));
    const [first, second] = results();
    expect(first).to.deep.equal({ first: 1n, replayed: [] });
    expect(second?.first).to.equal(3n);
    expect(second?.replayed).to.deep.equal([
      [0, 1n, "a", 7n, "sold", "print of a"],
      [2, 3n, "d", 7n, "sold", "print of d"],
    ]);
    const stored = database.prepare("SELECT id, name FROM pets ORDER BY id").all();
    expect(stored.map(({ id, name }) => `${id} ${name}`)).to.deep.equal(["1 a", "2 b", "3 d", "4 f"]);
  });

  it("stores every create of a large message once, in order", () => {
    const names = Array.from({ length: 21 }, (_, n) => `pet ${n}`);
    work(create(...names));
    const stored = database.prepare("SELECT name FROM pets ORDER BY id").all();
    expect(stored.map(({ name }) => name)).to.deep.equal(names);
  });

  it("waits for further creates only if the last commit had more", () => {
    work(create("a", "b"));
    waits = 0;
    work(create("c", "d"));
    expect(waits, "as many as before").to.equal(0);
    // The committer waits for a part of a commit's time, which a busy machine may spend elsewhere.
    for (let tries = 0; waits === 0 && tries < 100; tries++) {
      work(create("a", "b"));
      work(create("e"));
    }
    expect(waits, "fewer than before").to.be.greaterThan(0);
  });

  it("does not wait for creates if some have come while it answered", () => {
    answered = () => {
      answered = () => {};
      requests.push(create("c", "d"));
    };
    work(create("a", "b"));
    expect(results()).to.have.length(2);
    expect(waits).to.equal(0);
  });

  it("looks at the log now and then, and once more after the last commit", async () => {
    expect(committer.log.untilLook, "before any commit").to.equal(Infinity);
    work(create("a"));
    const looked = gauges.walBytes;
    expect(looked, "after a pause").to.be.greaterThan(0);
    work(create("b"));
    expect(gauges.walBytes, "soon after the last look").to.equal(looked);
    const left = committer.log.untilLook;
    expect(left).to.be.within(0.001, 1000);
    await sleep(left + 1);
    expect(committer.log.untilLook).to.be.lessThan(0);
    committer.log.look();
    expect(gauges.walBytes).to.be.greaterThan(looked);
    expect(committer.log.untilLook).to.equal(Infinity);
  });
});
