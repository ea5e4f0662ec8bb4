import { type ChildProcess, fork } from "node:child_process";
import type { Answer, Granted, Order, Report, Wish } from "./process-messages.js";

/** The name of the hidden command that carries out orders. */
export const PROCESS_COMMAND = "conformance-process";

interface Listener {
  /** The process is about to open a storage. */
  opens(url: string): void;
  grant(wish: Wish): Promise<void>;
}

/**
 * A process ended while it carried out an order. The message follows the word "Seen:". `conformance.ts` then counts the
 * case as broken, and asks the next one in a new process.
 */
export class ProcessEnded extends Error {}

/** A process that uses storages in place of this one. If a storage ends or blocks it, this one goes on. */
export class CaseProcess {
  // The process has a group of its own: Ctrl-C does not reach it, and a kill also reaches the processes that it starts.
  private readonly child = startProcess({ detached: true });

  constructor(private readonly listener: Listener) {}

  /**
   * Carries out an order.
   *
   * @param patience how long the process may take until it is killed, in milliseconds
   * @throws ProcessEnded if the process ends or is killed
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

  /** Kills the process, and all processes that it has started. */
  kill(): void {
    try {
      process.kill(-(this.child.pid as number), "SIGKILL");
    } catch {
      // All of them have ended already.
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

/** Starts this program once more, to carry out orders. Output of a storage goes to standard error. */
export function startProcess({ stdout = 2 as "pipe" | 2, detached = false } = {}): ChildProcess {
  return fork(process.argv[1] as string, [PROCESS_COMMAND], {
    stdio: ["ignore", stdout, 2, "ipc"],
    detached,
    // JSON, the default, cannot carry bigints.
    serialization: "advanced",
  });
}
