import { around, type PortOf } from "../../storages/around.js";
import type { Circuit, Kind } from "./circuit.js";

/**
 * Stands between the service and any port of a storage: refuses its operations while the storage is away, and gives up
 * one that takes too long.
 *
 * @param operations the methods of the port, and which of them change something
 */
export function guarded<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, Kind>>,
  circuit: Circuit,
): Port {
  return around(port, operations, (call, name) => circuit.run(operations[name], call));
}
