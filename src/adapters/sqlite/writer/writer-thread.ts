import { SHARE_ENV, Worker } from "node:worker_threads";
import { Bell } from "./bell.js";
import { endAtExit } from "./end-at-exit.js";
import type { WriterGauges } from "./gauges.js";
import { type Answer, OPENED, type Request, type WriterStart } from "./messages.js";

/** In MiB. The thread holds one message at a time: at most a thousand pets, with names of up to 1 KiB. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64, stackSizeMb: 2 };

/** A thread that has the file open to write. It keeps the process alive only until it has. */
export class WriterThread {
  /** Whether its end is expected. */
  closed = false;
  private owed = 0;
  private lastSign = performance.now();
  private readonly forget: () => void;

  private constructor(
    private readonly worker: Worker,
    private readonly bell: Bell,
    gauges: WriterGauges,
  ) {
    this.forget = endAtExit(gauges);
  }

  /**
   * Starts a thread and resolves once it has the file open.
   *
   * @param answered gets every answer of the thread
   * @param died gets the cause if the thread ends without having been closed
   * @throws Error that says what is wrong with the file
   */
  static start(
    start: Pick<WriterStart, "file" | "make">,
    gauges: WriterGauges,
    answered: (answers: readonly Answer[]) => void,
    died: (cause: Error) => void,
  ): Promise<WriterThread> {
    const bell = new Bell();
    const workerData: WriterStart = { ...start, gauges: gauges.memory, bell: bell.memory };
    const worker = new Worker(new URL("./thread/run.js", import.meta.url), {
      workerData,
      resourceLimits: LIMITS,
      env: SHARE_ENV,
      name: "sqlite-writer",
      // The options of the process may be for its own start alone, such as `--eval` and `--import`.
      execArgv: [],
      // The thread prints nothing. If its streams were piped to the process's own, the process would end once
      // nobody reads those.
      stdout: true,
      stderr: true,
    });
    const thread = new WriterThread(worker, bell, gauges);
    return new Promise((resolve, reject) => {
      let open = false;
      let cause = new Error("The writing thread ended by itself.");
      worker.on("message", (message: typeof OPENED | readonly Answer[]) => {
        if (message === OPENED) {
          open = true;
          worker.unref();
          resolve(thread);
        } else {
          thread.answered(message.length);
          answered(message);
        }
      });
      worker.on("error", (error) => {
        cause = error;
      });
      worker.on("exit", () => {
        thread.forget();
        gauges.reset();
        reject(cause);
        if (open && !thread.closed) died(cause);
      });
    });
  }

  send(request: Request): void {
    if (this.owed++ === 0) this.lastSign = performance.now();
    this.worker.postMessage(request);
    this.bell.ring();
  }

  /** How long the thread has owed an answer without giving one, in milliseconds. */
  get silence(): number {
    return this.owed === 0 ? 0 : performance.now() - this.lastSign;
  }

  private answered(count: number): void {
    this.owed -= count;
    this.lastSign = performance.now();
  }
}
