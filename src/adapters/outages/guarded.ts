import type { Circuit } from "./circuit.js";

/** What refuses the operations of a storage that cannot be used. Reads go on while only writes fail. */
export type Circuits = Readonly<Record<"read" | "write", Circuit>>;

/**
 * Stands between the service and any port of a storage: refuses its operations while the storage is away, and gives up
 * one that takes too long.
 *
 * @param operations the methods of the port, and which of them change something
 */
export function guarded<Port extends Record<keyof Port, (...values: never[]) => Promise<unknown>>>(
  port: Port,
  operations: Readonly<Record<keyof Port, keyof Circuits>>,
  circuits: Circuits,
): Port {
  const guard = (name: keyof Port) => {
    const circuit = circuits[operations[name]];
    return (...values: never[]) => circuit.run(() => port[name](...values));
  };
  const names = Object.keys(operations) as (keyof Port)[];
  return Object.fromEntries(names.map((name) => [name, guard(name)])) as Port;
}
