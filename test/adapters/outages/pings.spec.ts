import { expect } from "chai";
import { Pings } from "../../../src/adapters/outages/pings.js";

describe("Pings of a storage that never settles them", () => {
  it("come at longer and longer intervals, and end after a hundred, until it settles one", async () => {
    const settle: (() => void)[] = [];
    const pings = new Pings(() => new Promise<void>((resolve) => settle.push(resolve)));
    const pauses: number[] = [];
    for (let count = 0; count < 100; count++) {
      pauses.push(pings.pause);
      pings.ask().catch(() => {});
    }
    expect(pauses.slice(0, 9)).to.deep.equal([500, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(pauses[99]).to.equal(60_000);
    const refused = await pings.ask().then(
      () => "answered",
      ({ code, cause }) => [code, cause.message],
    );
    expect(refused).to.deep.equal([
      "storage_unavailable",
      "the storage has left 100 pings without an answer",
    ]);
    expect(settle).to.have.length(100);
    settle[0]?.();
    await new Promise(setImmediate);
    const asked = pings.ask();
    for (const answer of settle) answer();
    await asked;
    await new Promise(setImmediate);
    expect(pings.pause).to.equal(500);
  });
});
