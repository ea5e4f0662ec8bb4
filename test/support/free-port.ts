import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 that nobody uses at this moment. The system picks none of this range for others (its own begins at
 * 32768 on Linux, at 49152 on macOS), so that nobody takes the port before the test, or between two uses.
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
