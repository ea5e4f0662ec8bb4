import { SettingsError } from "../../settings/settings-error.js";

/**
 * Says in plain words why the program cannot go on. The module that throws a foreseen error words it, e.g. `listen.ts`
 * for a port that is taken. An error that nobody foresaw is shown with its stack.
 */
export function explainFailure(error: Error): string {
  const { message, cause, stack } = error;
  const isForeseen = error instanceof SettingsError || error.constructor === Error;
  if (!isForeseen) return String(stack);
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}
