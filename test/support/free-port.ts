import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Resolves to a free port of 127.0.0.1. The system picks no port of this range for others (its own range begins at 32768
 * on Linux, at 49152 on macOS), so that nobody takes the port before the test, or between two uses.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 27_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
