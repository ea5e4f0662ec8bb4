import { existsSync, unwatchFile, watchFile } from "node:fs";

/** How often a file is looked for, in milliseconds. */
const LOOK_INTERVAL = 500;

export interface Switch {
  isOn(): boolean;
  close(): void;
}

/** A switch that stays as it is, or one that is on as long as a file exists. */
export function openSwitch(setting: boolean | { readonly file: string }): Switch {
  if (typeof setting === "boolean") return { isOn: () => setting, close() {} };
  const { file } = setting;
  let isOn = existsSync(file);
  const look = () => {
    isOn = existsSync(file);
  };
  watchFile(file, { interval: LOOK_INTERVAL, persistent: false }, look);
  // Again, for a change before the watch began.
  look();
  return { isOn: () => isOn, close: () => unwatchFile(file, look) };
}

export function closeSwitch(opened: Switch): void {
  opened.close();
}
