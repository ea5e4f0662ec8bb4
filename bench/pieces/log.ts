import fs from "node:fs";
import { pino } from "pino";
import sonicBoom from "sonic-boom";

// sonic-boom's own batches for those of `process/log.js`.
const maxWrite = fs.fstatSync(1).isFile() ? 64_000 : 4096;

export async function openLog(level: string) {
  const destination = new sonicBoom.SonicBoom({
    fd: 1,
    sync: false,
    maxLength: 8 * 1024 * 1024,
    maxWrite,
    minLength: maxWrite - 1,
    periodicFlush: 100,
  });
  return { logger: pino({ level }, destination), destination, lostLines: () => 0 };
}
