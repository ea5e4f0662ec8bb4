import { type Logger, pino } from "pino";

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A log whose lines a test can read. */
export function captureLog(): { log: Logger; lines: LogLine[]; text: () => string } {
  const written: string[] = [];
  const lines: LogLine[] = [];
  const log = pino(
    { level: "trace" },
    {
      write(line: string) {
        written.push(line);
        lines.push(JSON.parse(line));
      },
    },
  );
  return { log, lines, text: () => written.join("") };
}
