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
