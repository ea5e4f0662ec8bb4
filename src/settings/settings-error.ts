/** The settings or the command line need correcting; the message lists every fault. */
export class SettingsError extends Error {}
