import { createServer } from "node:http";
import { expect } from "chai";
import { fitLimits } from "../../../src/adapters/http/descriptor-limit.js";
import { listen } from "../../../src/adapters/http/server/listen.js";
import { captureLog } from "../../support/captured-log.js";

describe("fitLimits", () => {
  function fitted(connections: number, descriptors: number) {
    const { log, lines } = captureLog();
    const limits = fitLimits({ inFlight: 7, connections }, log, descriptors);
    return { ...limits, said: lines.length };
  }

  it("keeps the limit that an operator has set if there are enough descriptors", () => {
    const kept = { inFlight: 7, connections: 10_000, excess: 1000, said: 0 };
    expect(fitted(10_000, 65_536)).to.deep.equal(kept);
    expect(fitted(10_000, 11_256)).to.deep.equal(kept);
    expect(fitted(10_000, Infinity)).to.deep.equal(kept);
  });

  it("lowers the number of excess connections first, and then the limit, and logs the limit alone", () => {
    expect(fitted(700, 1024)).to.include({ connections: 691, excess: 77, said: 1 });
    expect(fitted(600, 1024)).to.include({ connections: 600, excess: 77, said: 0 });
    expect(fitted(10_000, 1024)).to.include({ connections: 691, excess: 77, said: 1 });
  });

  it("leaves half of all descriptors, at most 256, to everything else", () => {
    for (const descriptors of [20, 60, 100, 500, 1024, 4096, 10_000]) {
      const { connections, excess } = fitted(10_000, descriptors);
      expect(connections).to.be.greaterThan(0);
      expect(connections + (excess ?? 0)).to.equal(descriptors - Math.min(256, Math.ceil(descriptors / 2)));
    }
  });
});

describe("listen", () => {
  it("keeps the process alive if a connection cannot be accepted later on", async () => {
    const server = createServer();
    await listen(server, { host: "127.0.0.1", port: 0 }, { host: "HOST", port: "PORT" });
    const warning = new Promise((resolve) => process.once("warning", resolve));
    server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
    expect(await warning).to.have.property("message", "accept EMFILE");
    server.close();
  });
});
