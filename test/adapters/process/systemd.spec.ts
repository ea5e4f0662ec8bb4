import { expect } from "chai";
import { inheritedSocket, printsToJournal } from "../../../src/adapters/process/systemd.js";

describe("systemd", () => {
  const own = String(process.pid);
  for (const [environment, descriptor] of [
    [{}, undefined],
    [{ LISTEN_PID: own, LISTEN_FDS: "1" }, 3],
    [{ LISTEN_PID: own, LISTEN_FDS: "0" }, undefined],
    // A child inherits these variables, but no socket.
    [{ LISTEN_PID: "1", LISTEN_FDS: "1" }, undefined],
  ] as const) {
    it(`hands over ${descriptor ?? "nothing"} with ${JSON.stringify(environment).replace(own, "PID")}`, () => {
      expect(inheritedSocket(environment)).to.equal(descriptor);
    });
  }

  it("keeps the output of a service, unless a terminal shows it", () => {
    const { isTTY } = process.stdout;
    try {
      process.stdout.isTTY = false;
      expect(printsToJournal({})).to.equal(false);
      expect(printsToJournal({ INVOCATION_ID: "1" })).to.equal(true);
      expect(printsToJournal({ NOTIFY_SOCKET: "/run/systemd/notify" })).to.equal(true);
      process.stdout.isTTY = true;
      expect(printsToJournal({ INVOCATION_ID: "1" })).to.equal(false);
    } finally {
      process.stdout.isTTY = isTTY;
    }
  });
});
