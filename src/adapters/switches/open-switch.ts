import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";

/** The pause between two looks for a file, in milliseconds. */
const LOOK_INTERVAL = 500;

export interface Switch {
  isOn(): boolean;
  close(): void;
}

/**
 * A switch that stays as it is, or one that is on as long as a file exists, as `PETSTORE_READ_ONLY` names one. While it is
 * on, `read-only-pets.ts` refuses creates.
 */
export function openSwitch(setting: boolean | { readonly file: string }): Switch {
  if (typeof setting === "boolean") return { isOn: () => setting, close() {} };
  const { file } = setting;
  // Synchronous only at the start: later a disk that stands still would stop the whole program.
  let isOn = existsSync(file);
  let looking = false;
  const timer = setInterval(async () => {
    // While a disk stands still, one look is under way.
    if (looking) return;
    looking = true;
    isOn = await stat(file).then(
      () => true,
      () => false,
    );
    looking = false;
  }, LOOK_INTERVAL).unref();
  return { isOn: () => isOn, close: () => clearInterval(timer) };
}
