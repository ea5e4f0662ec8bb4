import { type ChildProcess, fork } from "node:child_process";
import type { Answer, Granted, Order, Report, Wish } from "./orders.js";

/** What the hidden command is called that carries out orders. */
export const PROCESS_COMMAND = "conformance-process";

export interface Listener {
  /** A storage is about to be opened. */
  opens(url: string): void;
  grant(wish: Wish): Promise<void>;
}

/** What became of a process that was carrying out an order, in words that follow "Seen:". */
export class ProcessEnded extends Error {}

/** A process that touches storages, so that whatever a storage does to it is noticed and survived. */
export class CaseProcess {
  // A group of its own: Ctrl-C does not reach it, and the processes that it starts end with it.
  private readonly child = startProcess({ detached: true });

  constructor(private readonly listener: Listener) {}

  /**
   * Carries out an order.
   *
   * @throws ProcessEnded if the process ends, or has not answered in so many milliseconds and is killed
   */
  carryOut(order: Order, patience: number): Promise<Answer> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const giveUp = (message: string) => {
        settle();
        this.kill();
        reject(new ProcessEnded(message));
      };
      const timer = setTimeout(() => giveUp(`no end within ${patience / 1000} s`), patience);
      const ended = (code: number | null, signal: string | null) =>
        giveUp(`the end of the process, with ${signal ?? `exit code ${code}`}`);
      const heard = (report: Report) => {
        if (report.report === "opens") this.listener.opens(report.url);
        else if (report.report === "wish") void this.grant(report.wish);
        else if (report.report === "uncaught") {
          giveUp(`an error outside of any operation, which ends the process: ${report.message}`);
        } else {
          settle();
          resolve(report);
        }
      };
      function settle(): void {
        clearTimeout(timer);
        child.off("exit", ended).off("message", heard);
      }
      child.on("exit", ended).on("message", heard);
      child.send(order, () => undefined);
    });
  }

  /** Ends it at once, whatever it does, with all that it has started. */
  kill(): void {
    try {
      process.kill(-(this.child.pid as number), "SIGKILL");
    } catch {
      // All have ended.
    }
  }

  private async grant(wish: Wish): Promise<void> {
    const failure = await this.listener.grant(wish).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (this.child.connected)
      this.child.send({ granted: wish.wish, failure } satisfies Granted, () => undefined);
  }
}

/** Starts this program once more, to carry out orders. What a storage prints there is shown on standard error. */
export function startProcess({ stdout = 2 as "pipe" | 2, detached = false } = {}): ChildProcess {
  return fork(process.argv[1] as string, [PROCESS_COMMAND], {
    stdio: ["ignore", stdout, 2, "ipc"],
    detached,
    // Carries bigints.
    serialization: "advanced",
  });
}
