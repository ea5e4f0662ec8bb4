import { connect } from "node:net";
import { gate } from "./gate.js";

// Before late.ts, in one process: a callback of this test runs while a unit test does.

describe("a test with sockets", () => {
  it("makes a callback", () => {
    gate.passed = gate.opened.then(() =>
      connect(1, "127.0.0.1")
        .on("error", () => {})
        .destroy(),
    );
  });
});
