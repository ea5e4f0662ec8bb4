import { connect } from "node:net";
import { gate } from "./gate.js";

describe("a unit test", () => {
  it("is not blamed for the callback of another", async () => {
    gate.open();
    await gate.passed;
  });

  it("may not connect", () => void connect(1, "127.0.0.1"));
});
