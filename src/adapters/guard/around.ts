import { STORAGE_PORTS, type Storage } from "../../application/ports/storage.js";

export type Kind = "read" | "write";

/** An operation, as the table of its port has it. */
export interface Operation {
  readonly name: string;
  readonly kind: Kind;
}

/** What goes round an operation: it calls the operation, or rejects in its place. */
export type Wrapper = <Result>(call: () => Promise<Result>, operation: Operation) => Promise<Result>;

/** An interface whose members are all operations. */
type PortOf<Port> = Record<keyof Port, (...values: never[]) => Promise<unknown>>;

/** A port with wrappers round each operation of its table, the outermost first. */
export function around<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, Kind>>,
  ...wrappers: readonly Wrapper[]
): Port {
  const wrapped = Object.entries<Kind>(operations).map(([name, kind]) => {
    const operate = (...values: never[]) => port[name as keyof Port](...values);
    const wrap = (inner: typeof operate, wrapper: Wrapper): typeof operate => {
      return (...values) => wrapper(() => inner(...values), { name, kind });
    };
    return [name, wrappers.reduceRight(wrap, operate)];
  });
  return Object.fromEntries(wrapped);
}

/** The ports of a storage. */
export type Ports = Pick<Storage, keyof typeof STORAGE_PORTS>;

/** Every port that a storage has, with the same wrappers round it: a new one by its row in `STORAGE_PORTS`. */
export function aroundPorts(storage: Storage, ...wrappers: readonly Wrapper[]): Ports {
  return mapPorts(storage, (port, operations) => around(port, operations, ...wrappers));
}

/** Every port that a storage has, made into another one. */
export function mapPorts(
  storage: Storage,
  map: (port: Record<string, () => Promise<unknown>>, operations: Readonly<Record<string, Kind>>) => object,
): Ports {
  const there = Object.entries(STORAGE_PORTS).filter(([name]) => storage[name as keyof Ports] !== undefined);
  const mapped = there.map(([name, operations]) => [
    name,
    map(storage[name as keyof Ports] as never, operations),
  ]);
  return Object.fromEntries(mapped);
}
