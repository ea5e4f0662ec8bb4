import { writeSync } from "node:fs";

/** The exit code of a program whose settings need correcting. */
const NEEDS_CORRECTING = 2;

/**
 * Runs code from outside. If that calls `process.exit`, the program ends with a message, and not as if all were well.
 *
 * @param message follows the name of the program on standard error
 */
export async function sayIfExits<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  const onExit = () => {
    writeSync(2, `petstore: ${message}\n`);
    process.exitCode = NEEDS_CORRECTING;
  };
  process.once("exit", onExit);
  try {
    return await work();
  } finally {
    process.off("exit", onExit);
  }
}
