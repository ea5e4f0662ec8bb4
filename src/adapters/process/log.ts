import { fstatSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import { serializeError } from "./error-serializer.js";
import { isJournal, withPriorities } from "./journal.js";

/**
 * How many bytes a batch of lines has at most; a longer line goes alone. A pipe takes only PIPE_BUF bytes undivided
 * (POSIX.1-2017, write(); 4096 on Linux): the rest of a larger batch could be lost, or come behind lines of other processes.
 */
const BATCH = { file: 64 * 1024, other: 4096 };

/** How long a line waits for others at most, in milliseconds. */
const WAIT = 100;

/** How many bytes are kept while stdout takes none. Further lines are lost. */
const BACKLOG = 8 * 1024 * 1024;

/** How long the process waits for a full pipe when it ends, in milliseconds: perhaps nobody reads the pipe. */
const EXIT_PATIENCE = 500;

/**
 * The log on stdout: lines of JSON; on a terminal, lines for people; for the journal, with their priorities.
 *
 * @param hide hides the secrets of the settings in the texts of errors
 * @param instance marks each line, unless it is undefined
 */
export async function openLog(
  level: string,
  hide: (text: string) => string,
  environment: NodeJS.ProcessEnv,
  instance?: string,
): Promise<Logger> {
  // Other output goes through Node's own stream; a failure there must not end the service either.
  process.stdout.on("error", complain);
  // There is no place left to say so.
  process.stderr.on("error", () => {});
  const output = process.stdout.isTTY ? await openTerminal() : openStdout();
  const destination = isJournal(1, environment) ? withPriorities(output) : output;
  const serializers = { err: (error: unknown) => serializeError(error, hide) };
  const log = pino({ level, serializers }, destination);
  return instance === undefined ? log : log.child({ instance });
}

async function openTerminal(): Promise<DestinationStream> {
  const { default: pretty } = await import("pino-pretty");
  const colorize = process.stdout.hasColors();
  return pretty({ colorize, sync: true, singleLine: true, ignore: "pid,hostname" });
}

/** Writes lines in batches, in the background: a write for each would cost more than a request. */
function openStdout(): DestinationStream {
  const batch = fstatSync(1).isFile() ? BATCH.file : BATCH.other;
  let deadline = Number.POSITIVE_INFINITY;
  let failing = false;
  const out = pino.destination({
    dest: 1,
    sync: false,
    // Of texts pino's destination would count the bytes of the whole batch anew with each line.
    contentMode: "buffer",
    minLength: batch - 1,
    maxWrite: batch,
    maxLength: BACKLOG,
    periodicFlush: WAIT,
    retryEAGAIN: () => performance.now() < deadline,
  });
  // A full disk must not end the service: the next write tries again.
  out.on("error", (error: Error) => {
    if (!failing) complain(error);
    failing = true;
  });
  out.on("write", () => {
    failing = false;
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
  // pino puts another method there once nobody reads the pipe any more.
  const stream = out as unknown as { write(line: Buffer): boolean };
  return { write: (line) => stream.write(Buffer.from(line)) };
}

function complain({ message }: Error): void {
  console.error(`petstore: the log cannot be written: ${message}; correct that, the service goes on.`);
}
