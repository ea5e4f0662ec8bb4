import { STORAGE_PORTS, type Storage } from "./storage-adapter.js";

/** An interface whose members are all operations. */
export type PortOf<Port> = Record<keyof Port, (...values: never[]) => Promise<unknown>>;

/**
 * A port whose every operation goes through a function, which calls it.
 *
 * @param operations a table with the name of each operation
 */
export function around<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, unknown>>,
  run: (call: () => Promise<unknown>, name: keyof Port & string) => Promise<unknown>,
): Port {
  const names = Object.keys(operations) as (keyof Port & string)[];
  const wrap = (name: keyof Port & string) => {
    return (...values: never[]) => run(() => port[name](...values), name);
  };
  return Object.fromEntries(names.map((name) => [name, wrap(name)])) as Port;
}

type Ports = Pick<Storage, keyof typeof STORAGE_PORTS>;

/** The ports that a storage has, each with something around it. */
export function aroundEach(
  storage: Storage,
  wrap: (port: Record<string, () => Promise<unknown>>, operations: Record<string, unknown>) => object,
): Ports {
  const names = Object.keys(STORAGE_PORTS) as (keyof Ports)[];
  const there = names.filter((name) => storage[name] !== undefined);
  return Object.fromEntries(
    there.map((name) => [name, wrap(storage[name] as never, STORAGE_PORTS[name])]),
  ) as unknown as Ports;
}
