import { fstatSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import sonicBoom from "sonic-boom";

/**
 * Lines wait until they fill one write, in characters. Workers may share stdout: a file takes any write undivided, a
 * pipe takes only small ones so.
 */
const BATCH = fstatSync(1).isFile() ? 64_000 : 4000;

/** How long a line waits at most, in milliseconds. */
const WAIT = 100;

/** How much is kept while stdout takes nothing, in bytes; what comes then is lost, and counted. */
const BACKLOG = 8 * 1024 * 1024;

export interface Log {
  readonly logger: Logger;
  /** How many lines were lost since stdout took none. */
  lostLines(): number;
}

/** The log on stdout: lines of JSON; on a terminal, lines for people. */
export async function openLog(level: string): Promise<Log> {
  // What is printed beside the log goes through Node's own stream, and must not end the service either.
  process.stdout.on("error", complain);
  if (process.stdout.isTTY) {
    const { default: pretty } = await import("pino-pretty");
    const colorize = process.stdout.hasColors();
    const stream = pretty({ colorize, sync: true, singleLine: true, ignore: "pid,hostname" });
    return { logger: pino({ level }, stream), lostLines: () => 0 };
  }
  const stdout = new BatchedStdout();
  return { logger: pino({ level }, stdout), lostLines: () => stdout.lostLines };
}

/** Writes lines to stdout in batches, in the background: one write per line would cost more than a request. */
class BatchedStdout implements DestinationStream {
  lostLines = 0;
  private waiting = "";
  private timer: NodeJS.Timeout | undefined;
  private failing = false;
  private readonly out = new sonicBoom.SonicBoom({ fd: 1, sync: false, maxLength: BACKLOG });

  constructor() {
    this.out.on("drop", (lines: string) => {
      this.lostLines += lines.split("\n").length - 1;
    });
    // A full disk must not end the service: what was not written is written once there is room.
    this.out.on("error", (error: Error) => {
      if (!this.failing) complain(error);
      this.failing = true;
    });
    this.out.on("write", () => {
      this.failing = false;
    });
    process.once("exit", () => this.flushSync());
  }

  write(line: string): void {
    this.waiting += line;
    if (this.waiting.length >= BATCH) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), WAIT);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.waiting;
    this.waiting = "";
    this.out.write(lines);
  }

  private flushSync(): void {
    if (!this.waiting) return;
    this.flush();
    try {
      this.out.flushSync();
    } catch {
      // The process ends; stderr was told already that the log cannot be written.
    }
  }
}

function complain({ message }: Error): void {
  console.error(`petstore: the log cannot be written: ${message}; correct that, the service goes on.`);
}
