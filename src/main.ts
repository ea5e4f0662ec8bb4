#!/usr/bin/env node
import { stopSignal } from "./adapters/process/signals.js";

async function serve(): Promise<void> {
  // Comes first, since pid 1 of a container ignores signals without a handler.
  const stopping = stopSignal();
  const { serve } = await import("./commands/serve.js");
  process.exitCode = await serve(process.env, stopping);
}

async function run(args: readonly string[]): Promise<void> {
  const [command = "serve"] = args;
  if (command === "serve" && args.length <= 1) return serve();
  // Standard output is for results, and the module of a storage may print.
  if (command !== "serve") globalThis.console = new console.Console(process.stderr);
  const { runCommandLine } = await import("./commands/command-line.js");
  await runCommandLine(args, serve);
}

try {
  await run(process.argv.slice(2));
} catch (thrown) {
  const error: Error & { exitCode?: number } =
    thrown instanceof Error ? thrown : new Error("a value that is not an Error was thrown");
  const { message, stack, cause, exitCode = 1 } = error;
  // A plain Error carries a message for operators; any other error is a bug.
  const isExpected = "exitCode" in error || error.constructor === Error;
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  console.error(`petstore: ${isExpected ? message : stack}${reason}`);
  process.exitCode = exitCode;
}
// A storage may leave handles open.
process.exit();
