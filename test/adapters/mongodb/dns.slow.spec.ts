import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect } from "chai";
import { openMongodb } from "../../support/open-storages.js";

/** The promise to clients: an answer within so many milliseconds. */
const ANSWERED_WITHIN = 5000;

describe("MongoDB by a name that DNS does not answer for", () => {
  const servers = dns.getServers();
  let silent: Socket;
  let questions = 0;

  beforeEach(async () => {
    silent = createSocket("udp4").on("message", () => questions++);
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    dns.setServers([`127.0.0.1:${silent.address().port}`]);
  });

  afterEach(() => {
    dns.setServers(servers);
    silent.close();
  });

  it("starts, rejects in time, blocks nothing, and closes", async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const url = "mongodb+srv://cluster.petstore.test/petstore_test";
    const timed = async <Result>(work: Promise<Result>): Promise<Result> => {
      const begun = Date.now();
      const result = await work;
      expect(Date.now() - begun).to.be.below(ANSWERED_WITHIN);
      return result;
    };
    const storage = await timed(openMongodb(url));
    const refused = ({ code }: { code?: string }) => code;
    for (let round = 0; round < 2; round++) {
      expect(await timed(storage.ping().catch(refused))).to.equal("storage_unavailable");
      expect(await timed(storage.pets.get(1n).catch(refused))).to.equal("storage_unavailable");
    }
    await timed(storage.close());
    expect(questions).to.be.greaterThan(0);
    expect(delay.max / 1e6, "ms that the event loop stood still").to.be.below(1000);
  });
});
