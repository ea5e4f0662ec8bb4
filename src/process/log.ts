import fs from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import sonicBoom from "sonic-boom";
import { errorInLog } from "./error-in-log.js";

/**
 * Lines wait until they fill one write, in bytes. Workers may share stdout: a file takes any write undivided, a pipe
 * only those of at most PIPE_BUF bytes (POSIX.1-2017, write(); 4096 on Linux).
 */
const BATCH = fs.fstatSync(1).isFile() ? 64_000 : 4096;

/** How long a line waits at most, in milliseconds. */
const WAIT = 100;

/** How long a full pipe is waited for when the process ends, in milliseconds: perhaps nobody reads it. */
const EXIT_PATIENCE = 500;

/** How much is kept while stdout takes nothing, in bytes; what comes then is lost, and counted. */
const BACKLOG = 8 * 1024 * 1024;

export interface Log {
  readonly logger: Logger;
  /** Where its lines go. */
  readonly destination: DestinationStream;
  /** How many lines were lost since stdout took none. */
  lostLines(): number;
}

/** The log on stdout: lines of JSON; on a terminal, lines for people. */
export async function openLog(level: string): Promise<Log> {
  // What is printed beside the log goes through Node's own stream, and must not end the service either.
  process.stdout.on("error", complain);
  const options = { level, serializers: { err: errorInLog } };
  if (process.stdout.isTTY) {
    const { default: pretty } = await import("pino-pretty");
    const colorize = process.stdout.hasColors();
    const stream = pretty({ colorize, sync: true, singleLine: true, ignore: "pid,hostname" });
    return { logger: pino(options, stream), destination: stream, lostLines: () => 0 };
  }
  const destination = new BatchedStdout();
  return { logger: pino(options, destination), destination, lostLines: () => destination.lostLines };
}

/** Writes lines to stdout in batches, in the background: one write per line would cost more than a request. */
class BatchedStdout implements DestinationStream {
  lostLines = 0;
  private waiting = "";
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private failing = false;
  private deadline = Number.POSITIVE_INFINITY;
  private readonly out = new sonicBoom.SonicBoom({
    fd: 1,
    sync: false,
    maxLength: BACKLOG,
    // What is queued is joined up to this only.
    maxWrite: BATCH,
    retryEAGAIN: () => performance.now() < this.deadline,
  });

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
    const bytes = Buffer.byteLength(line);
    if (this.waiting && this.waitingBytes + bytes > BATCH) this.flush();
    this.waiting += line;
    this.waitingBytes += bytes;
    this.timer ??= setTimeout(() => this.flush(), WAIT);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.waiting;
    this.waiting = "";
    this.waitingBytes = 0;
    this.out.write(lines);
  }

  private flushSync(): void {
    this.deadline = performance.now() + EXIT_PATIENCE;
    if (this.waiting) this.flush();
    // It would try for ever to write what cannot be written.
    if (this.failing) return;
    flushAtExit(this.out);
  }
}

function complain({ message }: Error): void {
  console.error(`petstore: the log cannot be written: ${message}; correct that, the service goes on.`);
}

/**
 * Writes what a log still has, as the last that the process does. sonic-boom alone would try for ever to write to a
 * pipe that nobody has open any more, and would then wait for the disk; so these two calls of Node are replaced, which
 * nobody else makes now.
 */
function flushAtExit(out: { flushSync(): void }): void {
  const { writeSync } = fs;
  fs.fsyncSync = () => {};
  fs.writeSync = ((...parameters: Parameters<typeof writeSync>) => {
    try {
      return writeSync(...parameters);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // As if all was written: it never will be.
      if (code !== "EAGAIN" && code !== "EBUSY") return Buffer.byteLength(String(parameters[1]));
      throw error;
    }
  }) as typeof writeSync;
  try {
    out.flushSync();
  } catch {
    // The process ends; stderr was told already that the log cannot be written.
  }
}
