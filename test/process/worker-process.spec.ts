import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { expect } from "chai";
import type { SentAnswer, SentOrder } from "../../src/process/worker-messages.js";
import { WorkerProcess } from "../../src/process/worker-process.js";

/** The primary's end of a worker, without a process at the other end. */
class Channel extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), { pid: 1 });
  readonly sent: SentOrder[] = [];

  send(order: SentOrder): void {
    this.sent.push(order);
  }

  answer(order: SentOrder | undefined, answer: SentAnswer["answer"]): void {
    this.emit("message", { answerTo: order?.id, answer });
  }

  end(): void {
    this.process.emit("close", null, "SIGKILL");
  }
}

describe("WorkerProcess", () => {
  let channel: Channel;
  let worker: WorkerProcess;

  beforeEach(() => {
    channel = new Channel();
    worker = new WorkerProcess(channel as unknown as Worker, 100);
    worker.listening.catch(() => {});
    channel.emit("message", { report: "listening", address: "http://127.0.0.1:3000" });
  });
  afterEach(() => channel.end());

  it("matches each answer with its order, in whatever sequence the answers come", async () => {
    const first = worker.findReadiness();
    const second = worker.findReadiness();
    const [one, other] = channel.sent;
    channel.answer(other, { unready: "storage_unavailable", readOnly: true });
    channel.answer(one, { unready: undefined });
    expect(await first).to.deep.equal({ unready: undefined, readOnly: false });
    expect(await second).to.deep.equal({ unready: "storage_unavailable", readOnly: true });
  });

  it("sends many orders at once without a warning", async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    const asked = Array.from({ length: 50 }, () => worker.findReadiness());
    for (const order of channel.sent) channel.answer(order, { unready: undefined });
    await Promise.all(asked);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warned);
    expect(warnings).to.deep.equal([]);
  });

  it("gives up its orders if the process ends", async () => {
    const asked = [worker.findReadiness(), worker.findReadiness()];
    channel.end();
    const overloaded = { unready: "overloaded", readOnly: false };
    expect(await Promise.all(asked)).to.deep.equal([overloaded, overloaded]);
  });
});
