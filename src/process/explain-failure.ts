import { SettingsError } from "../settings/settings-error.js";

/**
 * Says in plain words why the program cannot go on. The module that throws a foreseen error words it, e.g. `listen.ts`
 * for a port that is taken. An error that nobody foresaw is shown with its stack.
 */
export function explainFailure(error: Error): string {
  const expected = error instanceof SettingsError || error.constructor === Error;
  return expected ? withCause(error) : String(error.stack);
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}
