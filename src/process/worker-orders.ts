import type { Worker } from "node:cluster";
import type { Answers, Order, SentAnswer } from "./worker-messages.js";

/** Gives a worker orders, any number at a time, and hands out its answers. */
export class WorkerOrders {
  private last = 0;
  /** For each order without an answer, a function that takes the answer; undefined if none will come. */
  private readonly pending = new Map<number, (answer: SentAnswer["answer"] | undefined) => void>();

  constructor(private readonly worker: Worker) {
    worker.on("message", ({ answerTo, answer }: Partial<SentAnswer>) => {
      if (answerTo) this.pending.get(answerTo)?.(answer);
    });
  }

  /** Undefined if the worker gives no answer in `patience` milliseconds, or ends. */
  ask<Name extends keyof Answers>(
    order: Order & { order: Name },
    patience: number,
  ): Promise<Answers[Name] | undefined> {
    const id = ++this.last;
    return new Promise((resolve) => {
      const settle = (answer: SentAnswer["answer"] | undefined) => {
        clearTimeout(timer);
        this.pending.delete(id);
        resolve(answer as Answers[Name] | undefined);
      };
      const timer = setTimeout(settle, patience, undefined);
      this.pending.set(id, settle);
      // An error means that the worker has just ended.
      this.worker.send({ ...order, id }, (error) => error && settle(undefined));
    });
  }

  /** Settles every open order without an answer, once the worker has ended. */
  giveUp(): void {
    for (const settle of this.pending.values()) settle(undefined);
  }
}
