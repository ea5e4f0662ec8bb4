import { expect } from "chai";
import { BufferLimit, type Keeper } from "../../../../src/adapters/http/server/buffer-limit.js";

describe("BufferLimit", () => {
  const told: string[] = [];
  const cut: string[] = [];
  let buffers: BufferLimit;
  beforeEach(() => {
    told.length = 0;
    cut.length = 0;
    buffers = new BufferLimit({ requests: 100, bytes: 1000 }, () => told.push("cut"));
  });

  /** A connection that keeps nothing yet. */
  class Connection implements Keeper {
    keptRequests = 0;
    keptBytes = 0;
    constructor(readonly name: string) {}

    keep(requests: number, bytes: number): this {
      this.keptRequests += requests;
      this.keptBytes += bytes;
      buffers.change(this, requests, bytes);
      return this;
    }

    cut(): void {
      cut.push(this.name);
      this.keep(-this.keptRequests, -this.keptBytes);
    }
  }

  it("cuts no connection as long as there is room", () => {
    new Connection("a").keep(100, 0);
    new Connection("b").keep(0, 1000);
    expect(cut).to.deep.equal([]);
  });

  it("cuts the connections that keep most requests, until a tenth is free", () => {
    for (const [name, requests] of Object.entries({ a: 5, b: 40, c: 9, d: 45 })) {
      new Connection(name).keep(requests, 0);
    }
    new Connection("e").keep(2, 0);
    expect(cut).to.deep.equal(["d"]);
    expect(told).to.have.length(1);
  });

  it("cuts the connections that keep most bytes", () => {
    new Connection("a").keep(10, 10);
    new Connection("b").keep(0, 900);
    new Connection("c").keep(0, 91);
    expect(cut).to.deep.equal(["b"]);
  });

  it("cuts several connections at once, and then has room for as much again", () => {
    const many = Array.from({ length: 10 }, (_, index) => new Connection(`${index}`).keep(10, 0));
    new Connection("last").keep(1, 0);
    expect(cut).to.deep.equal(["0", "1"]);
    many[9]?.keep(9, 0);
    expect(cut).to.have.length(2);
    many[9]?.keep(11, 0);
    expect(cut).to.deep.equal(["0", "1", "9"]);
  });

  it("no longer counts requests and bytes that a connection gave back", () => {
    const one = new Connection("a");
    for (let round = 0; round < 1000; round++) one.keep(60, 600).keep(-60, -600);
    new Connection("b").keep(100, 1000);
    expect(cut).to.deep.equal([]);
  });
});
