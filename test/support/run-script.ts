import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** Runs a module of JavaScript in a process of its own. Paths in it are relative to the compiled sources, e.g. `SRC/main.js`. */
export async function runScript(script: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const source = script.replaceAll("SRC", new URL("../../src", import.meta.url).href);
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once("close", (code, signal) => resolve(signal ?? code));
  });
  const stdout = await text(child.stdout);
  return { stdout, ended: await ended };
}
