/** The command line, a setting or the URL of a storage needs correcting. The message says how. */
export class UsageError extends Error {
  readonly exitCode = 2;
}
