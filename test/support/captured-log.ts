import { type Logger, pino } from "pino";

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A log whose lines a test can read. */
export function captureLog(): {
  log: Logger;
  lines: LogLine[];
  /** The lines that say more than that a request was answered. */
  causes: () => LogLine[];
  text: () => string;
} {
  const written: string[] = [];
  const lines: LogLine[] = [];
  const destination = {
    write(line: string) {
      written.push(line);
      lines.push(JSON.parse(line));
    },
  };
  const log = pino({ level: "trace" }, destination);
  const causes = () => lines.filter(({ msg }) => msg !== "request");
  return { log, lines, causes, text: () => written.join("") };
}
