import fs from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import sonicBoom from "sonic-boom";
import { serializeError } from "./error-serializer.js";

/**
 * How many bytes of lines to collect for one write. Workers may share stdout: a file takes any write undivided, a pipe
 * only those of at most PIPE_BUF bytes (POSIX.1-2017, write(); 4096 on Linux).
 */
const BATCH = fs.fstatSync(1).isFile() ? 64_000 : 4096;

/** How long a line waits at most, in milliseconds. */
const WAIT = 100;

/** How long the process waits for a full pipe when it ends, in milliseconds: perhaps nobody reads the pipe. */
const EXIT_PATIENCE = 500;

/** How many bytes are kept while stdout takes none. Further lines are lost, and counted. */
const BACKLOG = 8 * 1024 * 1024;

export interface Log {
  readonly logger: Logger;
  /** The stream that its lines go to. */
  readonly destination: DestinationStream;
  /** How many lines were lost while stdout accepted none. */
  lostLines(): number;
}

/** The log on stdout: lines of JSON; on a terminal, lines for people. */
export async function openLog(level: string): Promise<Log> {
  // Other output goes through Node's own stream; a failure there must not end the service either.
  process.stdout.on("error", complain);
  const options = { level, serializers: { err: serializeError } };
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
    // sonic-boom joins queued lines into writes of at most this size.
    maxWrite: BATCH,
    retryEAGAIN: () => performance.now() < this.deadline,
  });

  constructor() {
    this.out.on("drop", (lines: string) => {
      this.lostLines += lines.split("\n").length - 1;
    });
    // A full disk must not end the service: sonic-boom writes the queued lines once there is room.
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
    // A flush would try for ever.
    if (this.failing) return;
    flushAtExit(this.out);
  }
}

function complain({ message }: Error): void {
  console.error(`petstore: the log cannot be written: ${message}; correct that, the service goes on.`);
}

/**
 * Writes the queued lines at the very end of the process. sonic-boom alone would try for ever to write to a pipe that
 * nobody reads any more, and would then wait for the disk. So this replaces the two calls of Node that sonic-boom makes;
 * nobody else makes them any more.
 */
function flushAtExit(out: { flushSync(): void }): void {
  const { writeSync } = fs;
  fs.fsyncSync = () => {};
  fs.writeSync = ((...parameters: Parameters<typeof writeSync>) => {
    try {
      return writeSync(...parameters);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Nobody will ever write the rest, so this reports it as written.
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
