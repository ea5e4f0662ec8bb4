/** What somebody has to correct in the settings or on the command line; the message lists every fault. */
export class SettingsError extends Error {}
