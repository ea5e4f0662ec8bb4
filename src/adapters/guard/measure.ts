import type { Wrapper } from "./around.js";

/**
 * Measures how long operations take.
 *
 * @param seen hears of each that has ended
 */
export function measure(seen: (name: string, seconds: number, failed: boolean) => void): Wrapper {
  return async (call, { name }) => {
    const start = performance.now();
    let failed = true;
    try {
      const result = await call();
      failed = false;
      return result;
    } finally {
      seen(name, (performance.now() - start) / 1000, failed);
    }
  };
}
