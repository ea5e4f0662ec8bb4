import { around, type PortOf } from "../../storages/around.js";
import type { Metrics } from "./metrics.js";

/**
 * Measures how long the operations of a port take, and counts those that fail.
 *
 * @param operations has the name of each method
 */
export function measured<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, unknown>>,
  metrics: Metrics,
): Port {
  return around(port, operations, async (call, name) => {
    const start = performance.now();
    let failed = true;
    try {
      const result = await call();
      failed = false;
      return result;
    } finally {
      metrics.storageOperation(name, (performance.now() - start) / 1000, failed);
    }
  });
}
