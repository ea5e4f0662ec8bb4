import { fstatSync } from "node:fs";
import type { DestinationStream } from "pino";

/** The priority of a line in the journal (syslog(3)), by pino's level. Without one the journal takes a line for 6. */
const PRIORITIES: Readonly<Record<string, number>> = { 10: 7, 20: 7, 30: 6, 40: 4, 50: 3, 60: 2 };

/** Whether systemd reads what this process writes to a descriptor (systemd.exec(5), JOURNAL_STREAM). */
export function isJournal(descriptor: number, { JOURNAL_STREAM }: NodeJS.ProcessEnv): boolean {
  if (!JOURNAL_STREAM) return false;
  const { dev, ino } = fstatSync(descriptor);
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

/** Puts the priority of each of pino's lines in front of it, as sd-daemon(3) says. systemd takes it away again. */
export function withPriorities(destination: DestinationStream): DestinationStream {
  const at = '{"level":'.length;
  return {
    write(line: string): void {
      destination.write(`<${PRIORITIES[line.slice(at, at + 2)]}>${line}`);
    },
  };
}

/** Writes an error of the program to standard error, and in the journal with its priority. */
export function complain(text: string, environment: NodeJS.ProcessEnv): void {
  const message = `petstore: ${text}`;
  console.error(isJournal(2, environment) ? message.replace(/^/gm, "<3>") : message);
}
