import { type Logger, pino } from "pino";

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export function captureLog() {
  const lines: LogLine[] = [];
  const log: Logger = pino({ level: "trace" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { log, lines, text: () => JSON.stringify(lines) };
}
