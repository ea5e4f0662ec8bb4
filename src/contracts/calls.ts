import type { Kind, Ports } from "../storages/around/around.js";
import { STORAGE_PORTS } from "../storages/storage-adapter.js";
import { recordOf, somePet } from "./samples.js";

type CallsOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...values: infer Values) => unknown
    ? readonly Values[]
    : never;
};

/** Arguments that any storage takes, for each operation of each port. The compiler asks for those of a new one. */
function callsOf(n: bigint): { readonly [Name in keyof Ports]-?: CallsOf<NonNullable<Ports[Name]>> } {
  const page = { after: 0n, limit: 10 };
  const stored = { pet: { ...somePet({ name: "stored" }), id: 1_000_000n + n }, record: undefined };
  return {
    pets: {
      create: [[somePet()], [somePet(), recordOf(`call ${n}`)]],
      get: [[1n]],
      list: [[{ status: undefined, ...page }], [{ status: "available", ...page }]],
    },
    archive: {
      readPets: [[page]],
      storePets: [[[stored]]],
      countPets: [[]],
      highestId: [[]],
      raiseIds: [[2_000_000n + n]],
    },
  };
}

/** A call of an operation of a port. */
export interface Call {
  readonly port: keyof Ports;
  readonly operation: string;
  readonly kind: Kind;
  readonly values: readonly unknown[];
  ask(): Promise<unknown>;
}

/**
 * Calls of every operation of every port, so that a case can ask each.
 *
 * @param n makes ids and keys that the calls with another number do not have
 */
export function everyCall(ports: Ports, n = 0n): Call[] {
  return Object.entries(callsOf(n)).flatMap(([name, operations]) => {
    const port = ports[name as keyof Ports] as
      | Record<string, (...values: unknown[]) => Promise<unknown>>
      | undefined;
    if (!port) return [];
    const kinds: Record<string, Kind> = STORAGE_PORTS[name as keyof Ports];
    return Object.entries(operations).flatMap(
      ([operation, calls]: [string, readonly (readonly unknown[])[]]) =>
        calls.map((values) => ({
          port: name as keyof Ports,
          operation,
          kind: kinds[operation] as Kind,
          values,
          ask: async () => port[operation]?.(...values),
        })),
    );
  });
}
