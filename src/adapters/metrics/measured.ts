import type { Metrics } from "./metrics.js";

/**
 * Measures how long the operations of a port take, and counts those that fail.
 *
 * @param operations has the name of each method
 */
export function measured<Port extends Record<keyof Port, (...values: never[]) => Promise<unknown>>>(
  port: Port,
  operations: Readonly<Record<keyof Port, unknown>>,
  metrics: Metrics,
): Port {
  const measure = (name: keyof Port & string) => {
    return async (...values: never[]) => {
      const start = performance.now();
      let failed = true;
      try {
        const result = await port[name](...values);
        failed = false;
        return result;
      } finally {
        metrics.storageOperation(name, (performance.now() - start) / 1000, failed);
      }
    };
  };
  const names = Object.keys(operations) as (keyof Port & string)[];
  return Object.fromEntries(names.map((name) => [name, measure(name)])) as Port;
}
