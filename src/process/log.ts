import { fstatSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import { serializeError } from "./error-serializer.js";

/**
 * How many bytes one write has at most. Workers may share stdout: a file takes any write undivided, a pipe only those of
 * at most PIPE_BUF bytes (POSIX.1-2017, write(); 4096 on Linux).
 */
const BATCH = fstatSync(1).isFile() ? 64_000 : 4096;

/** How long a line waits for others at most, in milliseconds. */
const WAIT = 100;

/** How many bytes are kept while stdout takes none. Further lines are lost. */
const BACKLOG = 8 * 1024 * 1024;

/** How long the process waits for a full pipe when it ends, in milliseconds: perhaps nobody reads the pipe. */
const EXIT_PATIENCE = 500;

export interface Log {
  readonly logger: Logger;
  /** The stream that its lines go to. */
  readonly destination: DestinationStream;
}

/**
 * The log on stdout: lines of JSON; on a terminal, lines for people.
 *
 * @param hide hides the secrets of the settings in the texts of errors
 */
export async function openLog(level: string, hide: (text: string) => string): Promise<Log> {
  // Other output goes through Node's own stream; a failure there must not end the service either.
  process.stdout.on("error", complain);
  const destination = process.stdout.isTTY ? await openTerminal() : openStdout();
  const serializers = { err: (error: unknown) => serializeError(error, hide) };
  return { logger: pino({ level, serializers }, destination), destination };
}

async function openTerminal(): Promise<DestinationStream> {
  const { default: pretty } = await import("pino-pretty");
  const colorize = process.stdout.hasColors();
  return pretty({ colorize, sync: true, singleLine: true, ignore: "pid,hostname" });
}

/** Writes lines in batches, in the background: a write for each would cost more than a request. */
function openStdout(): DestinationStream {
  let isWaiting = false;
  /** How many bytes are not written yet. */
  let held = 0;
  let deadline = Number.POSITIVE_INFINITY;
  let failing = false;
  const out = pino.destination({
    dest: 1,
    sync: false,
    // Of strings, it would measure all that it holds at each line, which takes a tenth of a request.
    contentMode: "buffer",
    minLength: BATCH - 1,
    maxWrite: BATCH,
    maxLength: BACKLOG,
    retryEAGAIN: () => performance.now() < deadline,
  });
  // A full disk must not end the service: the next write tries again.
  out.on("error", (error: Error) => {
    if (!failing) complain(error);
    failing = true;
  });
  out.on("write", (bytes: number) => {
    held -= bytes;
    failing = false;
  });
  out.on("drop", (line: Buffer) => {
    held -= line.length;
  });
  // At the exit pino writes what is left, and would try for ever if the disk is full or nobody reads the pipe.
  process.prependOnceListener("exit", () => {
    deadline = performance.now() + EXIT_PATIENCE;
    try {
      if (failing) out.destroy();
      else out.flushSync();
    } catch {
      out.destroy();
    }
  });
  function flushLater(): void {
    if (!isWaiting) setTimeout(flush, WAIT).unref();
    isWaiting = true;
  }
  function flush(): void {
    isWaiting = false;
    if (held === 0) return;
    out.flush();
    // If a write was under way, that did nothing: without another flush, these lines would wait for the next one.
    flushLater();
  }
  return {
    write(line: string): void {
      const bytes = Buffer.from(line);
      held += bytes.length;
      out.write(bytes as never);
      flushLater();
    },
  };
}

function complain({ message }: Error): void {
  console.error(`petstore: the log cannot be written: ${message}; correct that, the service goes on.`);
}
