/** The settings or the command line need correcting; the message says how. `run.ts` then ends with exit code 2. */
export class SettingsError extends Error {}

/** @param faults for each fault the variable, then its rule; `settings.ts` and `storage-rules.ts` find them */
export function faultySettings(faults: readonly string[]): SettingsError {
  return new SettingsError(
    `These settings need correcting:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
  );
}
