import { once } from "node:events";
import { withTimeout } from "../../../src/adapters/mongodb/connection.js";

describe("withTimeout", () => {
  it("accepts a result that arrived while the process was paused for longer", async () => {
    const { port1, port2 } = new MessageChannel();
    const arrived = withTimeout(10, once(port2, "message"));
    port1.postMessage("response");
    // Blocks this thread, as if the process were stopped.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    await arrived;
    port1.close();
  });
});
