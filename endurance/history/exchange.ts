/** A request as it was sent, and what came back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The header lines that matter, but no credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** When it was sent, in milliseconds of the run. */
  readonly begun: number;
  readonly took: number;
  /** How long this process itself stood still meanwhile, in milliseconds. */
  readonly lost: number;
  /** The answer; undefined if none came. */
  readonly answer: Answer | undefined;
  /** Why no answer came, e.g. ECONNRESET. */
  readonly failure: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** The most characters of a body that are shown. */
const SHOWN = 300;

/** An exchange in some lines, for a report. */
export function describeExchange({
  method,
  path,
  headers,
  body,
  begun,
  took,
  answer,
  failure,
}: Exchange): string {
  const lines = [`at ${(begun / 1000).toFixed(3)} s: ${method} ${path}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  ${name}: ${value}`);
  if (body !== undefined) lines.push(`  ${cut(body)}`);
  const result = answer ? `${answer.status} ${cut(answer.text)}` : `no answer: ${failure}`;
  lines.push(`  → after ${took.toFixed(0)} ms: ${result}`);
  return lines.join("\n");
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
}
