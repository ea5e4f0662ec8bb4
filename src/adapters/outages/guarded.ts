import { around, type PortOf } from "../../storages/around.js";
import type { Circuit } from "./circuit.js";

/** What refuses the operations of a storage that cannot be used. Reads go on while only writes fail. */
export type Circuits = Readonly<Record<"read" | "write", Circuit>>;

/**
 * Stands between the service and any port of a storage: refuses its operations while the storage is away, and gives up
 * one that takes too long.
 *
 * @param operations the methods of the port, and which of them change something
 */
export function guarded<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, keyof Circuits>>,
  circuits: Circuits,
): Port {
  return around(port, operations, (call, name) => circuits[operations[name]].run(call));
}
