import { mock } from "node:test";
import { expect } from "chai";
import { Places } from "../../../src/adapters/mongodb/places.js";
import { messageOf } from "../../support/code-of.js";

describe("Places for operations of MongoDB", () => {
  let now = 0;
  beforeEach(() => mock.method(performance, "now", () => now));
  afterEach(() => mock.restoreAll());

  const turn = () => new Promise(setImmediate);

  /** Operations that wait for a place, and the names of those that have begun. */
  function queue(places: Places) {
    const begun: string[] = [];
    const ask = (kind: "read" | "write", name: string) =>
      messageOf(
        places.enter(kind).then((leave) => {
          begun.push(name);
          return leave;
        }),
      );
    return { begun, ask };
  }

  it("are as many as there are connections, and go to operations in order", async () => {
    const places = new Places(2);
    const [leaveFirst, leaveSecond] = [await places.enter("write"), await places.enter("write")];
    const { begun, ask } = queue(places);
    for (const name of ["third", "fourth"]) void ask("write", name);
    await turn();
    expect(begun).to.deep.equal([]);
    leaveSecond();
    await turn();
    expect(begun).to.deep.equal(["third"]);
    leaveFirst();
    await turn();
    expect(begun).to.deep.equal(["third", "fourth"]);
  });

  it("go to reads and writes by turns, whatever waits longer", async () => {
    const places = new Places(1);
    let leave = await places.enter("write");
    const begun: string[] = [];
    const waiting = ["write", "write", "write", "read", "read"] as const;
    for (const kind of waiting) {
      void places.enter(kind).then((next) => {
        begun.push(kind);
        leave = next;
      });
    }
    for (const _ of waiting) {
      leave();
      await turn();
    }
    expect(begun).to.have.members(waiting);
    expect(begun.slice(0, 4).sort()).to.deep.equal(["read", "read", "write", "write"]);
  });

  it("go to no operation that has too little time left, as operations take on average, but to the next one", async () => {
    const places = new Places(1);
    // Operations that take a second each.
    for (let n = 0; n < 50; n++) {
      const leave = await places.enter("write");
      now += 1000;
      leave();
    }
    const leave = await places.enter("write");
    const { begun, ask } = queue(places);
    const late = ask("write", "late");
    now += 2000;
    const early = ask("write", "early");
    now += 1000;
    leave();
    expect(await late).to.match(/no connection was free in time/);
    expect(await early).to.equal(undefined);
    expect(begun).to.deep.equal(["early"]);
  });

  it("are free at once after a slow operation if nobody waits", async () => {
    const places = new Places(1);
    for (let n = 0; n < 50; n++) {
      const leave = await places.enter("read");
      now += 3900;
      leave();
    }
    expect(await messageOf(places.enter("read"))).to.equal(undefined);
  });
});
